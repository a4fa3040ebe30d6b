// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Contains everything that the calls of an application share: listeners, deciders, resolvers, time, random numbers, and
 * the threads of asynchronous calls. Thread-safe.
 *
 * <pre>{@code
 * try (RetryEngine engine = RetryEngine.builder().listener(event -> log.info("{}", event)).build()) {
 *     Retry retry = Retry.builder("catalogue", policy).engine(engine).build();
 *     retry.call(() -> client.get(uri));
 * }
 * }</pre>
 *
 * <p>Closing the engine ends every delay immediately, with {@link StopReason#SHUTDOWN}. After that, no retry starts,
 * but first attempts still run.
 *
 * <p>One daemon thread, {@value SystemTime#THREAD_NAME}, times the delays of asynchronous calls and the time limits of
 * attempts. This thread starts when it is first needed, and runs no attempts. It ends after ten seconds without work
 * or, if the engine is closed, shortly after the last attempt with a time limit. Up to
 * {@value EngineWorkers#MOST_THREADS} daemon threads named {@value EngineWorkers#THREAD_NAME} end attempts that exceed
 * their limit, and end calls at shutdown. Such a thread ends one second after its last task, or when the engine is
 * closed.
 *
 * @since 0.1.0
 */
public final class RetryEngine implements AutoCloseable {

    /** The maximum time that {@link #close} waits for calls to end. */
    private static final Duration LONGEST_CLOSE = Duration.ofSeconds(10);

    private final ExtensionErrorReporter extensionErrors;

    private final Participants<RetryListener> listeners;

    private final Participants<RetryDecider> deciders;

    private final Participants<RetryHintResolver> resolvers;

    private final SystemTime systemTime = new SystemTime();

    private final RetryTime time;

    private final RandomGenerator random;

    private final Executor executor;

    private final @Nullable ContextCapture contextCapture;

    private final List<Function<? super RetryContext, ContextCapture.@Nullable Scope>> aroundRetries;

    private final Predicate<? super RetryContext> rollbackOnly;

    private final @Nullable DeadLetterQueue deadLetters;

    /** The waiting asynchronous calls. A timer or an executor may drop its tasks without running them. */
    private final Set<AsyncWait> asyncWaits = ConcurrentHashMap.newKeySet();

    private final EngineWorkers workers;

    private final boolean closeable;

    private volatile boolean closed;

    RetryEngine(RetryEngineBuilder builder, boolean closeable) {
        this.closeable = closeable;
        this.extensionErrors = new ExtensionErrorReporter(builder.extensionErrorListener);
        this.listeners = builder.listeners.copy();
        this.deciders = builder.deciders.copy();
        this.resolvers = builder.resolvers.copy();
        this.time = builder.time != null ? builder.time : systemTime;
        this.random = builder.random;
        this.executor = builder.executor != null ? builder.executor : commonPool();
        this.contextCapture = builder.contextCapture;
        this.aroundRetries = List.copyOf(builder.aroundRetries);
        this.rollbackOnly = builder.rollbackOnly;
        this.deadLetters = builder.deadLetters;
        // The shared engine outlives the application that happened to need it first.
        this.workers = new EngineWorkers(
                extensionErrors, closeable ? Thread.currentThread().getContextClassLoader() : null);
    }

    /** Returns the common pool or, if it has no threads, an executor with a thread per task, like {@link CompletableFuture}. */
    static Executor commonPool() {
        // Such a pool runs nothing, although it reports a parallelism of 1.
        return Integer.getInteger("java.util.concurrent.ForkJoinPool.common.parallelism", 1) > 0
                ? ForkJoinPool.commonPool()
                : new CompletableFuture<>().defaultExecutor();
    }

    /**
     * Returns the default engine. The default engine has no listeners, runs in real time and is never closed.
     *
     * @return the shared engine
     */
    public static RetryEngine shared() {
        return Shared.ENGINE;
    }

    /** {@return a new builder} */
    public static RetryEngineBuilder builder() {
        return new RetryEngineBuilder();
    }

    /**
     * Ends all delays and prevents further retries. The delays of blocking calls also end. Asynchronous calls that are
     * waiting, or whose next attempt is queued in the executor, then complete with their last error or the result of
     * their recovery. These calls complete on threads of the engine. This method waits at most ten seconds for these
     * calls, but not for stages that recoveries return. If the thread is interrupted, this method returns early and the
     * interrupt flag stays set. Running attempts continue and keep their time limits. A second call does nothing, and
     * the {@linkplain #shared() shared engine} cannot be closed.
     */
    @Override
    public void close() {
        if (!closeable) {
            return;
        }
        closed = true;
        systemTime.close();
        List<Runnable> ends = claim(wait -> true).stream()
                .<Runnable>map(wait -> () -> wait.end(StopReason.SHUTDOWN))
                .toList();
        workers.runAll(ends, LONGEST_CLOSE);
        workers.close();
    }

    /** Created when it is first needed, because most applications use their own engine. */
    private static final class Shared {

        static final RetryEngine ENGINE = new RetryEngine(builder(), false);
    }

    Set<AsyncWait> asyncWaits() {
        return asyncWaits;
    }

    /**
     * Claims the waits of asynchronous calls that match a condition. Returns the claimed waits, which only the caller can
     * end.
     */
    private List<AsyncWait> claim(Predicate<AsyncWait> which) {
        List<AsyncWait> claimed = new ArrayList<>(asyncWaits);
        claimed.removeIf(wait -> !which.test(wait) || !wait.claim());
        return claimed;
    }

    RetryTime time() {
        return time;
    }

    /** Cancels a scheduled task. A custom {@link RetryTime} can throw an exception. */
    void cancel(RetryTime.Handle handle) {
        try {
            handle.cancel();
        } catch (Throwable ex) {
            extensionErrors.report(Kind.WAIT, ExtensionErrorListener.ANY, "a timer failed to cancel a task", ex);
        }
    }

    Executor executor() {
        return executor;
    }

    /**
     * Runs a timer's task on another thread. For the engine's own timer this is a worker, because the task would queue
     * behind attempts in the executor. A custom {@link RetryTime} can be virtual, so the executor runs its tasks.
     */
    void elsewhere(Runnable task) {
        if (SystemTime.isTimerThread()) {
            workers.execute(task);
            return;
        }
        try {
            executor.execute(task);
        } catch (Throwable ex) {
            workers.execute(task);
        }
    }

    @Nullable ContextCapture contextCapture() {
        return contextCapture;
    }

    List<Function<? super RetryContext, ContextCapture.@Nullable Scope>> aroundRetries() {
        return aroundRetries;
    }

    /** {@return the queue for calls that have failed permanently, or {@code null} if none is set} */
    public @Nullable DeadLetterQueue deadLetters() {
        return deadLetters;
    }

    /** {@return whether this engine is {@linkplain #close closed} and therefore runs no retries} */
    public boolean isClosed() {
        return closed;
    }

    /** Waits on this thread. In the system's time, the wait ends early if the switch is turned off. */
    void sleep(Duration delay, @Nullable RetrySwitch retrySwitch) throws InterruptedException {
        if (time == systemTime) {
            systemTime.sleep(delay, retrySwitch);
        } else {
            time.sleep(delay);
        }
    }

    void endWaits(RetrySwitch retrySwitch) {
        systemTime.endSleeps(retrySwitch);
        for (AsyncWait wait : claim(call -> call.endsWith(retrySwitch))) {
            workers.execute(() -> wait.end(StopReason.SWITCHED_OFF));
        }
    }

    RandomGenerator random() {
        return random;
    }

    boolean isRollbackOnly(RetryContext call) {
        try {
            return Extensions.ask(rollbackOnly, false, () -> rollbackOnly.test(call));
        } catch (Throwable ex) {
            extensionErrors.report(
                    Kind.DECIDER, call.name(), "checking the caller's transaction failed; the call continues", ex);
            return false;
        }
    }

    /** Returns the deciders. An exception of the lookup is treated like an exception of a decider. */
    List<RetryDecider> deciders() {
        return deciders.all();
    }

    ExtensionErrorReporter extensionErrors() {
        return extensionErrors;
    }

    /**
     * Sends an event to the call's own listeners, and then to the engine's listeners. The engine is a bean of a final
     * class, which no proxy can extend. Its method names are therefore chosen not to match an application's pointcuts.
     */
    void tellListeners(List<RetryListener> own, Supplier<RetryEvent> event) {
        List<RetryListener> shared = listeners.all(Kind.LISTENER, extensionErrors);
        if (own.isEmpty() && shared.isEmpty()) {
            return;
        }
        RetryEvent published = event.get();
        for (RetryListener listener : own) {
            tell(listener, published);
        }
        for (RetryListener listener : shared) {
            tell(listener, published);
        }
    }

    /** Does not quote the event, because its text can contain the error, and reading the error might be what failed. */
    private void tell(RetryListener listener, RetryEvent event) {
        try {
            Extensions.run(listener, () -> listener.onEvent(event));
        } catch (Throwable ex) {
            extensionErrors.report(
                    Kind.LISTENER,
                    event.name(),
                    "the retry listener " + ExtensionErrorReporter.type(listener) + " failed; the call continues",
                    ex);
        }
    }

    /** Reads an error of a call and its causes. */
    ErrorChain chain(Throwable error, RetryContext call) {
        return ErrorChain.of(error, call, resolvers, extensionErrors);
    }
}
