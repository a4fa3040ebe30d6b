// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.shipments;

import java.io.IOException;

public interface Warehouse {
    void ship(String orderId) throws IOException;
}
