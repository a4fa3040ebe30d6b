// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.rates;

import java.io.IOException;

public interface CentralBank {
    String rates() throws IOException;
}
