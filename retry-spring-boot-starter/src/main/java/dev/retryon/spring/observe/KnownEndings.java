/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.observe;

import dev.retryon.StopReason;
import dev.retryon.spring.method.RetriedMethod;
import dev.retryon.spring.settings.Setting;
import java.lang.reflect.Method;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;

/** The ways in which calls of a method can end in failure, as far as its settings determine them. */
final class KnownEndings {

    private KnownEndings() {}

    /** The reasons that settings of a method can give. */
    static Set<StopReason> reasons(RetriedMethod method) {
        Map<Setting<?>, ?> settings = method.settings().values();
        Set<StopReason> reasons = EnumSet.of(StopReason.EXHAUSTED, StopReason.NOT_RETRYABLE);
        if (settings.containsKey(Setting.ONLY_IF) || settings.containsKey(Setting.UNLESS)) {
            reasons.add(StopReason.REJECTED);
        }
        if (method.policy().timeout() != null) {
            reasons.add(StopReason.TIMEOUT);
        }
        if (method.policy().budget() != null) {
            reasons.add(StopReason.BUDGET);
        }
        if (isAsynchronous(method.method())) {
            reasons.add(StopReason.CANCELLED);
        }
        return reasons;
    }

    /** Whether a recovery method may serve the callers of a method. */
    static boolean isRecovered(RetriedMethod method) {
        return method.settings().values().containsKey(Setting.RECOVER);
    }

    /** Whether a recovery method may serve callers after calls that ended for a reason. */
    static boolean isRecoverable(StopReason reason) {
        return switch (reason) {
            case NOT_RETRYABLE, INTERRUPTED, CANCELLED, DISCARD, FAIL, UNRESOLVABLE -> false;
            default -> true;
        };
    }

    /** Whether values that a method returns may be retried. */
    static boolean retriesValues(RetriedMethod method) {
        return method.settings().values().containsKey(Setting.RETRY_IF);
    }

    private static boolean isAsynchronous(Method method) {
        Class<?> type = method.getReturnType();
        return Future.class.isAssignableFrom(type)
                || CompletionStage.class.isAssignableFrom(type)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null
                || KotlinDetector.isSuspendingFunction(method);
    }
}
