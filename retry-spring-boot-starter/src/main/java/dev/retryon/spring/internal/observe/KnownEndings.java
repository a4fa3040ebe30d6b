// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.AttemptTimeoutException;
import dev.retryon.RetryPolicy;
import dev.retryon.StopReason;
import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.settings.Setting;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;

/** How attempts and calls of a retry can fail, as far as its settings determine that. */
final class KnownEndings {

    private KnownEndings() {}

    static Set<StopReason> reasons(RetriedMethod method) {
        Set<StopReason> reasons = reasons(method.policy(), method.settings().byAttribute());
        if (isAsynchronous(method.method())) {
            reasons.add(StopReason.CANCELLED);
        }
        return reasons;
    }

    static Set<StopReason> reasons(RetryPolicy policy, Map<String, ?> settings) {
        Set<StopReason> reasons = EnumSet.of(StopReason.EXHAUSTED, StopReason.NOT_RETRYABLE);
        if (settings.containsKey(Setting.ONLY_IF.attribute()) || settings.containsKey(Setting.UNLESS.attribute())) {
            reasons.add(StopReason.REJECTED);
        }
        if (policy.timeout() != null) {
            reasons.add(StopReason.TIMEOUT);
        }
        if (policy.budget() != null) {
            reasons.add(StopReason.BUDGET);
        }
        return reasons;
    }

    /** The reasons after which a recovery method of a method can run; none if it has no such method. */
    static Set<StopReason> recoverableReasons(RetriedMethod method) {
        if (!method.settings().values().containsKey(Setting.RECOVER)) {
            return Set.of();
        }
        Set<StopReason> reasons = reasons(method);
        reasons.remove(StopReason.CANCELLED);
        if (method.policy().recoverOn().isEmpty()) {
            reasons.remove(StopReason.NOT_RETRYABLE);
        }
        return reasons;
    }

    /** The errors after which there may be a retry. */
    static List<Class<? extends Throwable>> retriedErrors(RetryPolicy policy) {
        List<Class<? extends Throwable>> errors = new ArrayList<>(policy.exceptions());
        if (policy.attemptTimeout() != null) {
            errors.add(AttemptTimeoutException.class);
        }
        return errors;
    }

    private static boolean isAsynchronous(Method method) {
        Class<?> type = method.getReturnType();
        return Future.class.isAssignableFrom(type)
                || CompletionStage.class.isAssignableFrom(type)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null
                || KotlinDetector.isSuspendingFunction(method);
    }
}
