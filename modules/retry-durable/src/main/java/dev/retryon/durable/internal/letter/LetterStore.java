// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.backoff.DurationText;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.durable.internal.engine.DeadLetterStore;
import dev.retryon.spring.internal.report.ExtensionErrors;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Writes dead letters to the store within a limited time, so that a store that hangs does not block callers. It has its own
 * threads: few connections are in use even if many calls fail at once, and the transaction of the caller does not roll
 * dead letters back. Calls can fail until the end of the application, so closing does not end the threads. It waits only for
 * dead letters whose callers do not.
 */
final class LetterStore implements AutoCloseable {

    private static final int THREADS = 16;

    private static final long IDLE_SECONDS = 10;

    private static final Duration CLOSING = Duration.ofSeconds(2);

    private static final long MOMENT = 1_000_000;

    private final Supplier<DeadLetterStore> stores;

    private final Duration timeout;

    private final ExtensionErrors errors;

    private final ExecutorService threads;

    /** The number of dead letters that are being written although their callers no longer wait. */
    private final AtomicInteger later = new AtomicInteger();

    private volatile @Nullable DeadLetterStore opened;

    LetterStore(Supplier<DeadLetterStore> stores, Duration timeout, ExtensionErrors errors) {
        this.stores = stores;
        this.errors = errors;
        this.timeout = timeout;
        this.threads = newThreads();
    }

    /** Daemons, which end when they are idle, so there is nothing to close. */
    private static ExecutorService newThreads() {
        CustomizableThreadFactory daemons = new CustomizableThreadFactory("retryon-dead-letters-");
        daemons.setDaemon(true);
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * Stores a dead letter.
     *
     * @throws TimeoutException if the store has not responded in time; the dead letter may be stored nevertheless
     */
    void put(DeadLetter letter) throws Exception {
        DeadLetterStore store = opened;
        if (store == null) {
            store = await(stores::get);
            opened = store;
        }
        DeadLetterStore target = store;
        if (!target.afterCaller(() -> putLater(target, letter))) {
            this.<@Nullable Void>await(() -> {
                target.put(letter);
                return null;
            });
        }
    }

    /** The caller has received its error by the time the letter is written. */
    private void putLater(DeadLetterStore target, DeadLetter letter) {
        later.incrementAndGet();
        threads.execute(() -> {
            try {
                target.put(letter);
            } catch (Throwable ex) {
                errors.report(
                        ExtensionErrorListener.Kind.DEAD_LETTER,
                        letter.name(),
                        "a dead letter could not be stored after the transaction of the caller",
                        ex);
            } finally {
                later.decrementAndGet();
            }
        });
    }

    @Override
    public void close() {
        long end = System.nanoTime() + CLOSING.toNanos();
        while (later.get() > 0
                && System.nanoTime() < end
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(MOMENT);
        }
    }

    private <T extends @Nullable Object> T await(Callable<T> work) throws Exception {
        Future<T> result = threads.submit(work);
        try {
            // A Duration can be longer than a long can count nanoseconds: 292 years at most.
            return result.get(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
        } catch (TimeoutException ex) {
            result.cancel(true);
            throw new TimeoutException(
                    "the store of dead letters did not respond within " + DurationText.print(timeout));
        } catch (ExecutionException ex) {
            if (ex.getCause() instanceof Error error) {
                throw error;
            }
            throw ex.getCause() instanceof Exception cause ? cause : ex;
        }
    }
}
