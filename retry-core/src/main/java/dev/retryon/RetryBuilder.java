// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link Retry}. Not thread-safe.
 *
 * <pre>{@code
 * Retry retry = Retry.builder("catalogue", policy)
 *     .engine(engine)
 *     .beforeRetry((subject, context) -> tokens.refresh())
 *     .build();
 * }</pre>
 *
 * @since 0.1.0
 */
public final class RetryBuilder {

    private final String name;

    private final RetryPolicy policy;

    private @Nullable RetryEngine engine;

    private @Nullable RetryRecovery<Object, ?> recovery;

    private @Nullable BeforeRetry<Object> beforeRetry;

    private @Nullable LongAdder successes;

    private @Nullable LongAdder waiting;

    private final List<RetryListener> listeners = new ArrayList<>();

    private @Nullable Function<Object, CallSubject> subjects;

    private @Nullable RetrySwitch retrySwitch;

    private @Nullable CallHandover handover;

    CallSettings.@Nullable Resumption resumption;

    @Nullable Consumer<RetryResult<?>> watcher;

    private boolean timed;

    RetryBuilder(String name, RetryPolicy policy) {
        if (name.isBlank()) {
            throw new IllegalArgumentException(
                    "The name of a retry must not be blank; use a name such as \"catalogue\"");
        }
        this.name = name;
        this.policy = Objects.requireNonNull(policy, "policy");
    }

    RetryBuilder(CallSettings settings, RetryPolicy policy) {
        this(settings.name(), policy);
        engine = settings.engine();
        recovery = settings.recovery();
        beforeRetry = settings.beforeRetry();
        successes = settings.successes();
        waiting = settings.waiting();
        listeners.addAll(settings.listeners());
        subjects = settings.subjects();
        retrySwitch = settings.retrySwitch();
        handover = settings.handover();
        timed = settings.timed();
    }

    /**
     * Sets the engine. The default is the {@linkplain RetryEngine#shared() shared engine}.
     *
     * @param engine the engine, with its listeners, deciders and clock
     * @return this builder
     */
    public RetryBuilder engine(RetryEngine engine) {
        this.engine = Objects.requireNonNull(engine, "engine");
        return this;
    }

    /**
     * Sets the code that runs after each wait and before the next attempt. By default, no such code is set.
     *
     * @param beforeRetry the code; it accepts any subject, because a retry can run calls with subjects of any type
     * @return this builder
     */
    public RetryBuilder beforeRetry(BeforeRetry<Object> beforeRetry) {
        this.beforeRetry = Objects.requireNonNull(beforeRetry, "beforeRetry");
        return this;
    }

    /**
     * Adds a listener for the events of this retry only. Listeners of a retry are called in the order in which they
     * were added, before the engine's listeners. By default, no listener is set.
     *
     * @param listener the listener
     * @return this builder
     */
    public RetryBuilder listener(RetryListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
        return this;
    }

    /**
     * Sets a switch that ends the retries of these calls at run time. By default, no switch is set.
     *
     * @param retrySwitch the switch
     * @return this builder
     */
    public RetryBuilder retrySwitch(RetrySwitch retrySwitch) {
        this.retrySwitch = Objects.requireNonNull(retrySwitch, "retrySwitch");
        return this;
    }

    /**
     * Sets how a subject is described to gates, deciders, listeners and backoff strategies. By default, the key is the
     * name of the retry, the target is the subject, and the call has no arguments.
     *
     * @param subjects describes a subject of any type. This function runs at most once per call, and only after a
     *     failure
     * @return this builder
     */
    public RetryBuilder subjects(Function<Object, CallSubject> subjects) {
        this.subjects = Objects.requireNonNull(subjects, "subjects");
        return this;
    }

    /**
     * Hands the retries of calls over to a module. If an attempt fails and must be retried, a blocking call returns
     * {@code null} immediately, and the future of an asynchronous call completes with {@code null}. Therefore, use this
     * method only for calls without a result. The caller receives the error only if the call is not retried or cannot
     * be handed over. By default, calls are not handed over. This method is for modules that store calls:
     *
     * <pre>{@code
     * // First attempt, in the caller's process: a failed attempt goes to handover.take(..), and the caller continues.
     * Retry first = Retry.builder("mail", policy).handOver(handover).build();
     * first.call(mail, operation);
     *
     * // Later attempt, in any process: the stored state says which attempt this is.
     * Retry next = first.resume(state, waited, lease::isValid);
     * next.call(mail, operation);
     * }</pre>
     *
     * <p>An asynchronous call is handed over on a thread of the engine's executor. If such a call was
     * {@linkplain Retry#resume resumed}, it is not handed over again. Therefore, run the attempts of stored calls as
     * blocking calls.
     *
     * <p>Two rules are different for calls that are handed over. A delay that a server requests applies even if it is
     * longer than {@code maxDelay}, and a call does not end if the engine is closed.
     *
     * @param handover takes the calls over; {@code null} to run the retries in this process, for example because the
     *     caller resends a dead letter and waits for the result
     * @return this builder
     */
    public RetryBuilder handOver(@Nullable CallHandover handover) {
        this.handover = handover;
        return this;
    }

    /**
     * Sets the recovery, which returns a value to the caller after all attempts have failed. By default, no recovery is
     * set. A recovery that is {@linkplain Retry#callOrRecover given with a call} takes precedence. For asynchronous
     * calls, the recovery returns the value or a {@link CompletionStage} of it. If the recovery fails, the caller
     * receives its exception.
     *
     * <p>This method is for frameworks that intercept calls. The compiler cannot check that the value has the type of
     * the calls, so the framework must ensure it. In other code, use {@link Retry#callOrRecover}.
     *
     * @param recovery the recovery
     * @return this builder
     */
    public RetryBuilder uncheckedRecovery(RetryRecovery<Object, ?> recovery) {
        this.recovery = Objects.requireNonNull(recovery, "recovery");
        return this;
    }

    /**
     * Removes the recovery, for example because no caller would receive its value.
     *
     * @return this builder
     */
    public RetryBuilder withoutRecovery() {
        this.recovery = null;
        return this;
    }

    /**
     * Counts the calls that succeed with their first attempt, because these calls have no event. By default, they are
     * not counted. This method is for frameworks that measure calls.
     *
     * @param counter incremented by each such call; several retries can share it
     * @return this builder
     */
    public RetryBuilder countSuccesses(LongAdder counter) {
        successes = Objects.requireNonNull(counter, "counter");
        return this;
    }

    /**
     * Counts the calls that are waiting for their next attempt. By default, a retry has its own counter, which it
     * shares with the retries {@linkplain Retry#toBuilder built from it}. This method is for frameworks that measure
     * calls.
     *
     * @param counter incremented when a wait begins and decremented when it ends; several retries can share it
     * @return this builder
     */
    public RetryBuilder countWaiting(LongAdder counter) {
        waiting = Objects.requireNonNull(counter, "counter");
        return this;
    }

    /**
     * Sets whether {@link RetryContext#elapsed()} counts from the start of the call. The default is {@code false},
     * because reading the clock slows down calls that succeed immediately. With a {@code timeout}, the elapsed time
     * always counts from the start.
     *
     * @param timed whether to read the clock
     * @return this builder
     */
    public RetryBuilder timed(boolean timed) {
        this.timed = timed;
        return this;
    }

    /** {@return a new retry with the settings of this builder} */
    public Retry build() {
        RetryEngine chosen = engine != null ? engine : RetryEngine.shared();
        if (retrySwitch != null) {
            retrySwitch.serves(chosen);
        }
        return new Retry(new CallSettings(
                name,
                policy,
                chosen,
                recovery,
                beforeRetry,
                successes,
                waiting != null ? waiting : new LongAdder(),
                List.copyOf(listeners),
                subjects,
                retrySwitch,
                handover,
                resumption,
                watcher,
                timed || watcher != null || policy.timeout() != null));
    }
}
