// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import dev.retryon.CallSubject;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.FailedCall;
import dev.retryon.backoff.DurationText;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.invocation.StoredArguments;
import dev.retryon.durable.internal.invocation.StoredMethods;
import dev.retryon.durable.internal.invocation.Surroundings;
import dev.retryon.durable.internal.settings.DurableGroup;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.StarterLog;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
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
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Stores calls that have failed permanently, within a limited time, so that a store that hangs does not block callers. It
 * has its own threads: few connections are in use even if many calls fail at the same time, and the caller's transaction
 * does not roll dead letters back. Calls can fail until the end of the application, so closing does not end the threads.
 * Closing waits only for dead letters for which no caller waits.
 */
public final class DeadLetterOffice implements AutoCloseable {

    private static final int THREADS = 16;

    private static final long IDLE_SECONDS = 10;

    private static final Duration CLOSING = Duration.ofSeconds(2);

    private static final long MOMENT = 1_000_000;

    private final Parts parts;

    private final Duration timeout;

    private final ExecutorService threads;

    /** The number of dead letters that are being written although their callers no longer wait. */
    private final AtomicInteger later = new AtomicInteger();

    private volatile @Nullable CallStore opened;

    /** The collaborators of everything that stores calls. The store is looked up on demand. */
    public record Parts(
            Supplier<CallStore> store,
            StoredMethods methods,
            StoredArguments arguments,
            Surroundings surroundings,
            ExtensionErrors errors,
            ApplicationEventPublisher events) {}

    /** @param timeout the longest time that a caller waits until its call is stored */
    public DeadLetterOffice(Parts parts, Duration timeout) {
        this.parts = parts;
        this.timeout = timeout;
        this.threads = newThreads();
    }

    /** Creates daemon threads, which end when they are idle, so nothing has to be closed. */
    private static ExecutorService newThreads() {
        CustomizableThreadFactory daemons = new CustomizableThreadFactory("retryon-dead-letters-");
        daemons.setDaemon(true);
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * Stores a call that has failed permanently, with its arguments and the name of its bean. If storing fails, the engine
     * counts and logs the failure, and adds the reason to the caller's error as a suppressed exception.
     *
     * @throws TimeoutException if the store has not responded in time; the dead letter might be stored nevertheless
     */
    public void add(FailedCall call) throws Exception {
        CallSubject subject = call.subject();
        RetriedMethod method = parts.methods().find(subject.key());
        String bean = method == null ? null : parts.methods().beanName(method.beanClass(), subject.target());
        // A call without a method, such as that of a lambda, cannot be resent.
        String encoded = method == null
                ? null
                : parts.arguments().encode(method.beanClass(), method.method(), subject.arguments());
        String traceParent = parts.surroundings().traceParent(call);
        CallStore store = opened;
        if (store == null) {
            store = await(parts.store()::get);
            opened = store;
        }
        CallStore target = store;
        DeadLetter letter = DeadLetter.of(
                call,
                bean,
                encoded,
                method == null ? DurableGroup.DEFAULT_LANE : DurableGroup.lane(method),
                StarterLog.trace(),
                traceParent,
                target.clock().instant().truncatedTo(ChronoUnit.MILLIS));
        if (!target.afterCaller(() -> putLater(target, letter))) {
            this.<@Nullable Void>await(() -> {
                target.put(letter);
                return null;
            });
        }
    }

    /** Stores a letter on another thread. By the time it is written, the caller has received the error. */
    private void putLater(CallStore target, DeadLetter letter) {
        later.incrementAndGet();
        threads.execute(() -> {
            try {
                target.put(letter);
            } catch (Throwable ex) {
                parts.errors()
                        .report(
                                ExtensionErrorListener.Kind.DEAD_LETTER,
                                letter.name(),
                                "a dead letter could not be stored after the caller's transaction",
                                ex);
            } finally {
                later.decrementAndGet();
            }
        });
    }

    /** Waits briefly for dead letters that are being stored. */
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
