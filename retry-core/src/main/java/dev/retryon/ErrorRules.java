// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The rules of a policy for individual errors. Each rule is the policy after a matching failure. Immutable. */
final class ErrorRules {

    private final Map<Class<? extends Throwable>, RetryPolicy> byType = new LinkedHashMap<>();

    private final Map<String, RetryPolicy> byCode = new LinkedHashMap<>();

    private final Map<String, RetryPolicy> byName = new LinkedHashMap<>();

    private final int mostAttempts;

    ErrorRules(PolicySettings settings) {
        settings.typeRules.forEach((type, rule) -> byType.put(type, new RetryPolicy(rule.over(settings))));
        settings.codeRules.forEach((code, rule) -> byCode.put(code, new RetryPolicy(rule.over(settings))));
        byType.forEach((type, policy) -> byName.put(type.getName(), policy));
        byName.putAll(byCode);
        this.mostAttempts = Stream.concat(byType.values().stream(), byCode.values().stream())
                .mapToInt(RetryPolicy::maxAttempts)
                .reduce(settings.effectiveMaxAttempts(), Math::max);
    }

    Map<String, RetryPolicy> byName() {
        return Collections.unmodifiableMap(byName);
    }

    /** Returns the maximum number of attempts of a call, whatever its errors are. */
    int mostAttempts() {
        return mostAttempts;
    }

    /** Returns the rule for the nearest error in a chain, or {@code null} if no rule matches. */
    @Nullable RetryPolicy find(ErrorChain chain) {
        if (byName.isEmpty()) {
            return null;
        }
        boolean isError = chain.error() instanceof Error;
        for (ErrorChain next = chain; next != null; next = next.cause()) {
            String code = isError || byCode.isEmpty() ? null : next.code();
            RetryPolicy found = code == null ? null : byCode.get(code);
            if (found == null) {
                found = ofType(next.error(), isError);
            }
            if (found == null && code != null) {
                found = ofPrefix(code);
            }
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Returns the rule for the most specific type. An {@code Error} needs a rule for an {@code Error} type. */
    private @Nullable RetryPolicy ofType(Throwable error, boolean isError) {
        Class<?> nearest = null;
        for (Class<?> type : byType.keySet()) {
            if (type.isInstance(error)
                    && (!isError || Error.class.isAssignableFrom(type))
                    && (nearest == null || nearest.isAssignableFrom(type))) {
                nearest = type;
            }
        }
        return nearest == null ? null : byType.get(nearest);
    }

    private @Nullable RetryPolicy ofPrefix(String code) {
        String longest = "";
        for (String pattern : byCode.keySet()) {
            if (pattern.length() > longest.length() && FailureMatcher.matches(pattern, code)) {
                longest = pattern;
            }
        }
        return byCode.get(longest);
    }
}
