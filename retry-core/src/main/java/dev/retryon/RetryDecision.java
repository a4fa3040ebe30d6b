// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The decision after a failed attempt: either a delay or the reason why no attempt follows. The same function applies the
 * rules in the listed order for all kinds of calls.
 */
record RetryDecision(@Nullable Duration delay, @Nullable StopReason reason) {

    /** Returns the reason why no attempt follows. Call this only if the decision has no delay. */
    StopReason stop() {
        return Objects.requireNonNull(reason);
    }

    boolean stops(StopReason expected) {
        return reason == expected;
    }

    private static RetryDecision stop(StopReason reason) {
        return new RetryDecision(null, reason);
    }

    /**
     * Decides about the last attempt of a call.
     *
     * @param error its unwrapped error; {@code null} if it returned a value to retry
     * @param thrown its error as thrown; an exception of a gate or decider is suppressed in it
     * @param interrupted whether the caller's thread, on which the call runs, is interrupted
     */
    static RetryDecision decide(
            RetryCall call, @Nullable Throwable error, @Nullable Throwable thrown, boolean interrupted) {
        ErrorChain chain = null;
        StopReason stop = null;
        if (error == null) {
            call.apply(call.settings().policy());
        } else {
            // 1. Interruption and a broken virtual machine.
            if (error instanceof InterruptedException || interrupted) {
                return stop(StopReason.INTERRUPTED);
            }
            if (error instanceof VirtualMachineError) {
                return stop(StopReason.NOT_RETRYABLE);
            }
            chain = call.engine().chain(error, call);
            stop = refuse(call, chain);
        }
        if (stop == null) {
            stop = end(call);
        }
        return stop != null ? stop(stop) : ask(call, chain, error, thrown);
    }

    /** Applies the rules that depend only on the error (steps 2 to 4). Sets the policy that applies if the error is retried. */
    private static @Nullable StopReason refuse(RetryCall call, ErrorChain chain) {
        RetryPolicy policy = call.settings().policy();
        // 2. The directive of the error.
        RetryDirective directive = chain.directive();
        if (directive != null && directive != RetryDirective.RETRY) {
            return reason(directive);
        }
        // The error of BeforeRetry is never listed.
        if (call.isStopped()) {
            return StopReason.NOT_RETRYABLE;
        }
        // 3. Excluded errors.
        if (policy.matcher().refuses(chain)) {
            return StopReason.NOT_RETRYABLE;
        }
        // 4. Errors that are not listed. An error that has a rule or requests a retry is treated as listed.
        RetryPolicy rule = policy.rules().find(chain);
        boolean listed = rule != null
                || (directive == RetryDirective.RETRY
                        ? policy.matcher().admitsRequest(chain)
                        : policy.matcher().lists(chain));
        if (!listed) {
            return StopReason.NOT_RETRYABLE;
        }
        call.apply(rule != null ? rule : policy);
        return null;
    }

    /** Ends the call if no retries are allowed, none are left, or none could help (step 5). */
    private static @Nullable StopReason end(RetryCall call) {
        CallSettings settings = call.settings();
        // After retries were switched off, no call gets another attempt.
        boolean switchedOff = settings.isSwitchedOff();
        if (!settings.policy().retryable() && !switchedOff) {
            return StopReason.NOT_RETRYABLE;
        }
        if (call.attempt() >= call.applied().maxAttempts()) {
            return StopReason.EXHAUSTED;
        }
        if (switchedOff) {
            return StopReason.SWITCHED_OFF;
        }
        boolean handedOver = settings.handover() != null;
        return !handedOver && call.engine().isRollbackOnly(call) ? StopReason.ROLLBACK_ONLY : null;
    }

    /** Runs the application's code (steps 6 and 7). */
    private static RetryDecision ask(
            RetryCall call, @Nullable ErrorChain chain, @Nullable Throwable error, @Nullable Throwable thrown) {
        RetryPolicy policy = call.settings().policy();
        Duration decided = Duration.ZERO;
        Object asked = null;
        try {
            // 6. Deciders.
            List<RetryDecider> deciders = call.engine().deciders();
            for (RetryDecider decider : deciders) {
                asked = decider;
                if (!Extensions.ask(decider, true, () -> decider.shouldRetry(call, error))) {
                    return stop(StopReason.REJECTED);
                }
            }
            // 7. Gates.
            BiPredicate<@Nullable Throwable, RetryContext> onlyIf = policy.onlyIf();
            asked = onlyIf;
            if (onlyIf != null && !Extensions.ask(onlyIf, true, () -> onlyIf.test(error, call))) {
                return stop(StopReason.REJECTED);
            }
            BiPredicate<@Nullable Throwable, RetryContext> unless = policy.unless();
            asked = unless;
            if (unless != null && Extensions.ask(unless, false, () -> unless.test(error, call))) {
                return stop(StopReason.REJECTED);
            }
            for (RetryDecider decider : deciders) {
                asked = decider;
                if (decided.isZero()) {
                    decided = positive(Extensions.ask(decider, Duration.ZERO, () -> decider.delay(call, error)));
                }
            }
        } catch (Throwable ex) {
            reportFailed(call, asked, ex, thrown);
            return stop(StopReason.REJECTED);
        }
        return retry(call, chain, decided);
    }

    /** @param asked the gate or decider that threw; {@code null} if the deciders could not be looked up */
    private static void reportFailed(
            RetryCall call, @Nullable Object asked, Throwable failure, @Nullable Throwable thrown) {
        Kind kind = Kind.DECIDER;
        String problem = "the deciders cannot be looked up";
        if (asked instanceof RetryDecider) {
            problem = "the decider " + ExtensionErrorReporter.type(asked) + " failed";
        } else if (asked != null) {
            kind = Kind.GATE;
            problem = "the gate '" + ExtensionErrorReporter.print(asked) + "' failed";
        }
        call.settings().report(kind, problem + ", so the call is not retried", failure, thrown);
    }

    /** Computes the delay and checks its limits (steps 8 to 11). If the given delay is zero, no decider has chosen one. */
    private static RetryDecision retry(RetryCall call, @Nullable ErrorChain chain, Duration decided) {
        RetryEngine engine = call.engine();
        RetryPolicy applied = call.applied();
        boolean handedOver = call.settings().handover() != null;
        // 8. The delay comes from the deciders, or else from the error, or else from the error's rule or the policy.
        Duration delay;
        if (!decided.isZero()) {
            delay = DurationMath.shorter(decided, applied.maxDelay());
        } else {
            Duration retryAfter = chain == null ? null : chain.delay();
            boolean isTooLong = retryAfter != null
                    && (retryAfter.equals(RetryHint.NEVER)
                            || (!handedOver && retryAfter.compareTo(applied.maxDelay()) > 0));
            if (isTooLong) {
                return stop(StopReason.DELAY_TOO_LONG);
            }
            delay = retryAfter != null ? retryAfter : call.backoffDelay();
        }
        // 9. Total time.
        if (call.isTooLate(delay)) {
            return stop(StopReason.TIMEOUT);
        }
        // 10. The budget.
        if (call.settings().policy().budget() != null
                && !call.settings().budgetOf(call).withdraw(applied.budgetCost())) {
            return stop(StopReason.BUDGET);
        }
        // 11. Shutdown.
        if (engine.isClosed() && !handedOver) {
            return stop(StopReason.SHUTDOWN);
        }
        return new RetryDecision(delay, null);
    }

    /**
     * Returns why a stored call does not run again after an interrupted attempt, or {@code null} if it does. Such an attempt
     * counts, because otherwise a call could run forever. The errors of the call's attempts, and therefore their rules, are
     * unknown.
     */
    static @Nullable StopReason spent(RetryCall call, Duration delay) {
        if (call.attempt() >= call.settings().policy().rules().mostAttempts()) {
            return StopReason.EXHAUSTED;
        }
        return call.isTooLate(delay) ? StopReason.TIMEOUT : null;
    }

    private static StopReason reason(RetryDirective directive) {
        return switch (directive) {
            case DISCARD -> StopReason.DISCARD;
            case FAIL -> StopReason.FAIL;
            case DEAD_LETTER -> StopReason.DEAD_LETTER;
            case RETRY -> throw new IllegalArgumentException("RETRY does not end a call");
        };
    }

    private static Duration positive(@Nullable Duration delay) {
        return delay == null || delay.isNegative() ? Duration.ZERO : delay;
    }
}
