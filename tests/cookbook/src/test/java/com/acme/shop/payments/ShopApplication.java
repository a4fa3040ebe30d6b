// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.payments;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class ShopApplication {}
