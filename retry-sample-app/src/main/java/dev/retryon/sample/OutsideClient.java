// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import dev.retryon.spring.RetryOn;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

/** Settings for all clients: a lost connection is retried once. Subclasses add their settings. */
@RetryOn(exceptions = ResourceAccessException.class, maxAttempts = 2, backoff = "fixed")
abstract class OutsideClient {

    private final RestClient client;

    OutsideClient(RestClient client) {
        this.client = client;
    }

    RestClient client() {
        return client;
    }
}
