// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import dev.retryon.spring.RetryOn;
import java.io.IOException;

/** Not a bean. */
final class Parcel {

    private int attempts;

    @RetryOn(IOException.class)
    String send() throws IOException {
        if (++attempts < 3) {
            throw new IOException("not reachable");
        }
        return "sent at " + attempts;
    }
}
