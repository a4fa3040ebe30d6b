// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.docs;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.client.RestClient;

/** What the examples speak of without declaring it. */
public class Vocabulary {

    /** Fails twice, then answers. */
    private static final class Flaky implements Source, Payments {

        private int calls;

        @Override
        public String fetch(String what) throws IOException {
            if (++calls <= 2) {
                throw new IOException("failure " + calls);
            }
            return what + " at attempt " + calls;
        }

        @Override
        public String charge(String order) throws IOException {
            return fetch(order);
        }
    }

    /** Something to fetch from. */
    public interface Source {
        String fetch(String what) throws IOException;
    }

    /** Something to pay with. */
    public interface Payments {
        String charge(String order) throws IOException;

        default CompletableFuture<Void> announce(String order) {
            return CompletableFuture.completedFuture(null);
        }
    }

    protected final Logger log = LoggerFactory.getLogger(Vocabulary.class);

    protected final Source partner = new Flaky();

    protected final Source prices = new Flaky();

    protected final Payments payments = new Flaky();

    protected final Payments gateway = new Flaky();

    protected final RestClient rest = RestClient.create();
}
