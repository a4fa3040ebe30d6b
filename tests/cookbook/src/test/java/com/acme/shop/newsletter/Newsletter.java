// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.newsletter;

import java.io.IOException;

public interface Newsletter {
    void subscribe(String email) throws IOException;
}
