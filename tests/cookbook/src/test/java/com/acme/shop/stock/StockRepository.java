// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.stock;

import org.springframework.data.jpa.repository.JpaRepository;

public interface StockRepository extends JpaRepository<Stock, String> {}
