// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.returns;

import java.io.IOException;

public interface Refunds {
    void pay(String orderId) throws IOException;
}
