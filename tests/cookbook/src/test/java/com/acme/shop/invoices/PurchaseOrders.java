// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.invoices;

import org.springframework.data.jpa.repository.JpaRepository;

public interface PurchaseOrders extends JpaRepository<PurchaseOrder, String> {}
