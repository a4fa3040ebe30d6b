// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;

import dev.retryon.durable.Durable;
import java.io.IOException;

/** Classes whose failed calls are kept, without retries. */
final class Reports {

    private Reports() {}

    static class Kept {

        @Durable(ON_EXHAUSTION)
        void print() throws IOException {
            throw new IOException("no paper");
        }
    }

    static class NotABean extends Kept {}

    interface Printer {

        void print() throws IOException;
    }

    record KeptPrinter() implements Printer {

        @Override
        @Durable(ON_EXHAUSTION)
        public void print() throws IOException {
            throw new IOException("no paper");
        }
    }

    static class Hidden {

        @Durable(ON_EXHAUSTION)
        private void print() {}
    }
}
