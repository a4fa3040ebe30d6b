// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.control;

import dev.retryon.spring.internal.policy.StandaloneRetries;
import dev.retryon.spring.internal.policy.StandaloneRetry;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.SettingSource;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Switches retries of HTTP clients and of the registry off and on for operators. These retries belong to no method.
 * Their settings were handed to code of the application. Thread-safe.
 */
final class StandaloneSwitches {

    private final StandaloneRetries retries;

    StandaloneSwitches(StandaloneRetries retries) {
        this.retries = retries;
    }

    Set<String> names() {
        return sorted(all().map(StandaloneRetry::name));
    }

    Set<String> budgets() {
        return sorted(all().flatMap(retry -> Stream.ofNullable(budget(retry))));
    }

    private static Set<String> sorted(Stream<String> names) {
        return names.collect(Collectors.toCollection(TreeSet::new));
    }

    /** Sets each switch according to the strongest change that applies to it; changes are sorted, the weakest first. */
    void obey(List<RuntimeChange> changes) {
        all().forEach(other -> {
            SettingSource off = null;
            for (RuntimeChange change : changes) {
                Boolean retryable = change.settings().get(Setting.RETRYABLE);
                if (retryable != null && isMeantBy(other, change)) {
                    off = retryable ? null : change.layer().source();
                }
            }
            retries.turn(other.name(), off);
        });
    }

    private Stream<StandaloneRetry> all() {
        return Stream.concat(retries.clients().stream(), retries.registered().values().stream());
    }

    private static @Nullable String budget(StandaloneRetry retry) {
        EffectiveSettings.Value<?> budget = retry.settings().get(Setting.BUDGET.attribute());
        return budget == null ? null : String.valueOf(budget.value());
    }

    private static boolean isMeantBy(StandaloneRetry retry, RuntimeChange change) {
        return switch (change.scope()) {
            case ALL -> true;
            case POLICY ->
                retry.settings().values().stream()
                        .anyMatch(value -> value.sources().contains(SettingSource.policy(change.name())));
            case BUDGET -> change.name().equals(budget(retry));
            case LANE -> false;
            case NAME -> change.name().equals(retry.name());
        };
    }
}
