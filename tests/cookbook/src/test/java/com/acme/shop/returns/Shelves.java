// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.returns;

import java.io.IOException;

public interface Shelves {
    void restock(String item) throws IOException;
}
