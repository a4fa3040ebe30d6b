// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Reads and closes unneeded responses to make their connections reusable, within limits of length and time. A separate
 * thread ensures that the caller never waits longer. Not every client can interrupt a read, and closing a response can first
 * read the rest of it.
 */
final class ResponseDrain {

    /** The longest body that is read to make its connection reusable. A connection with a longer body is closed. */
    static final int LONGEST_BODY = 64 * 1024;

    /** The longest time that is spent reading a body, whatever the policy allows. */
    static final Duration LONGEST_TIME = Duration.ofMillis(500);

    private static final byte[] NOTHING = {};

    private static final SimpleAsyncTaskExecutor THREADS = threads();

    private ResponseDrain() {}

    private static SimpleAsyncTaskExecutor threads() {
        SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("retryon-drain-");
        threads.setDaemon(true);
        // Interrupting a virtual thread closes the socket that it reads from; a platform thread continues to read.
        threads.setVirtualThreads(Runtime.version().feature() >= 21);
        return threads;
    }

    /**
     * Reads the body of a response and closes the response.
     *
     * @param time the longest time to wait for the body; zero or less to close the response unread
     * @return the body; empty if the body was too long, took too long or broke off
     */
    static byte[] read(ClientHttpResponse response, Duration time) {
        if (time.isZero() || time.isNegative()) {
            close(response);
            return NOTHING;
        }
        long nanos = time.toNanos();
        long end = System.nanoTime() + nanos;
        FutureTask<byte[]> reading = new FutureTask<>(() -> {
            try (response) {
                return read(response.getBody(), end);
            }
        });
        THREADS.execute(reading);
        try {
            return reading.get(nanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException ex) {
            // The body broke off. It is not needed, and its connection no longer exists.
            return NOTHING;
        } catch (TimeoutException ex) {
            abort(reading, response);
            return NOTHING;
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            abort(reading, response);
            return NOTHING;
        }
    }

    private static byte[] read(InputStream body, long end) throws IOException {
        byte[] bytes = new byte[LONGEST_BODY + 1];
        int length = 0;
        while (length <= LONGEST_BODY && System.nanoTime() - end < 0) {
            int read = body.read(bytes, length, bytes.length - length);
            if (read < 0) {
                return Arrays.copyOf(bytes, length);
            }
            length += read;
        }
        // Closing the response alone would make some clients read the rest, however long it is.
        body.close();
        return NOTHING;
    }

    private static void abort(FutureTask<byte[]> reading, ClientHttpResponse response) {
        reading.cancel(true);
        close(response);
    }

    /** Closes a response without reading it, and does not wait until it is closed. */
    static void close(ClientHttpResponse response) {
        THREADS.execute(() -> {
            try (response) {
                response.getBody().close();
            } catch (IOException | RuntimeException ex) {
                // The response is not needed, so its failure changes nothing.
                return;
            }
        });
    }
}
