// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.prices;

import java.io.IOException;

public interface Wholesaler {
    String price(String item) throws IOException;
}
