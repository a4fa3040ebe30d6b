// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects;

import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** A bean with retried methods of all kinds. */
class Shop {

    static final Partner STATIC_PARTNER = new Partner();

    final Partner partner = new Partner();

    String callsAll() throws IOException {
        return String.join(", ", hidden(), guarded(), sealed(), visible());
    }

    @RetryOn(IOException.class)
    private String hidden() throws IOException {
        return partner.fetch("private");
    }

    @RetryOn(IOException.class)
    protected String guarded() throws IOException {
        return partner.fetch("protected");
    }

    @RetryOn(IOException.class)
    public final String sealed() throws IOException {
        return partner.fetch("final");
    }

    @RetryOn(IOException.class)
    public String visible() throws IOException {
        return partner.fetch("public");
    }

    @RetryOn(IOException.class)
    static String shared(String name) throws IOException {
        return STATIC_PARTNER.fetch(name);
    }

    @RetryOn(IOException.class)
    public CompletableFuture<String> later() {
        try {
            return CompletableFuture.completedFuture(partner.fetch("future"));
        } catch (IOException ex) {
            return CompletableFuture.failedFuture(ex);
        }
    }

    @RetryOn(value = IOException.class, maxAttempts = 2, recover = "instead", beforeRetry = "prepare")
    private String recovered(String name) throws IOException {
        return partner.fetch(name);
    }

    private void prepare() throws IOException {
        partner.fetch("prepared");
    }

    private String instead(String name, IOException error) {
        return name + " instead of " + error.getMessage();
    }

    String callsRecovered(String name) throws IOException {
        return recovered(name);
    }

    @RetryOn(value = IOException.class, onlyIf = "isPassing(#error)")
    String gated(String name) throws IOException {
        return partner.fetch(name);
    }

    private boolean isPassing(Throwable error) {
        return !error.getMessage().contains("closed");
    }

    @RetryOn(IOException.class)
    String audited(String name) throws IOException {
        return partner.fetch(name);
    }

    String notRetried() throws IOException {
        return partner.fetch("plain");
    }
}
