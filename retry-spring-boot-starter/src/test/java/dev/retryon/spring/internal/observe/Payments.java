// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.RetryContext;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** A service that fails as its arguments say. */
public class Payments {

    /** Fails so many times, with a message that nobody should see by default. */
    @RetryOn(value = IOException.class, delay = "100ms", jitter = "none")
    public String charge(int failures) throws IOException {
        return charge(failures, "card 4711");
    }

    @RetryOn(value = IOException.class, delay = "100ms", jitter = "none")
    public String charge(int failures, String secret) throws IOException {
        if (RetryContext.current().attempt() <= failures) {
            throw new IOException(secret);
        }
        return "charged";
    }

    @RetryOn(value = IOException.class, recover = "standIn")
    public String recovered() throws IOException {
        throw new IOException("down");
    }

    String standIn(IOException error) {
        return "stood in";
    }

    @RetryOn(retryIf = "#result == null", name = "find", excludes = IOException.class)
    public @Nullable String find() {
        return null;
    }

    @RetryOn(IOException.class)
    public String refuse(RuntimeException error) {
        throw error;
    }

    /** Fails with an error of the test's. */
    @RetryOn(value = IOException.class, delay = "100ms", jitter = "none")
    public String fail(IOException error) throws IOException {
        throw error;
    }

    @RetryOn(UncheckedIOException.class)
    public String anonymous() {
        throw new UncheckedIOException(new IOException("down")) {};
    }

    /** Calls what is retried within an attempt of its own that is a later one. */
    @RetryOn(value = IOException.class, delay = "1s", jitter = "none")
    public String outer(Payments inner) throws IOException {
        if (RetryContext.current().attempt() == 1) {
            throw new IOException("first");
        }
        return inner.charge(1, "inner");
    }
}
