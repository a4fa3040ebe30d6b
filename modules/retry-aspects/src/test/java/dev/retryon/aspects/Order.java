// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects;

import dev.retryon.spring.RetryOn;
import java.io.IOException;

/** An object that is not a bean. */
record Order(Partner partner) {

    @RetryOn(IOException.class)
    String pay() throws IOException {
        return partner.fetch("pay");
    }
}
