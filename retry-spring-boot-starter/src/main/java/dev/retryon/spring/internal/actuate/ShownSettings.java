// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import dev.retryon.RetryPolicy;
import dev.retryon.backoff.DurationText;
import dev.retryon.spring.internal.actuate.RetriedDescription.SettingDescription;
import dev.retryon.spring.internal.settings.ErrorKey;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SanitizableData;

/** Effective settings as endpoints show them, with their sources. All JSON mappers write these types in the same way. */
final class ShownSettings {

    /** The number of retries whose delays are shown. */
    static final int SCHEDULED = 10;

    private static final String LIMIT = "retryon.limits.max-attempts";

    private static final String MAX_ATTEMPTS = Setting.MAX_ATTEMPTS.attribute();

    /** Text in single or double quotes, and numbers that are not part of a name. */
    private static final Pattern LITERAL = Pattern.compile("'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|(?<![\\w#$])\\d[\\w.]*");

    private ShownSettings() {}

    private static boolean isExpression(String attribute) {
        return Setting.expressions().stream()
                .anyMatch(setting -> setting.attribute().equals(attribute));
    }

    /**
     * Describes settings by attribute, those of a policy and others.
     *
     * @param maxAttempts the limit of attempts, if it is lower than the setting; {@code null} for no limit
     */
    static Map<String, SettingDescription> of(
            Map<String, EffectiveSettings.Value<?>> settings, @Nullable Integer maxAttempts, boolean withLiterals) {
        Map<String, SettingDescription> shown = new LinkedHashMap<>();
        settings.forEach((key, value) -> {
            Object plain = plain(value.value());
            List<String> sources =
                    value.sources().stream().map(SettingSource::describe).toList();
            if (key.equals(MAX_ATTEMPTS)) {
                shown.put(key, attempts((Integer) value.value(), sources, maxAttempts));
            } else if (isExpression(key) && !withLiterals) {
                shown.put(key, new SettingDescription(withoutLiterals(plain.toString()), sources));
            } else {
                shown.put(key, new SettingDescription(plain, sources));
            }
        });
        return shown;
    }

    /** Masks literals, which can be passwords because placeholders are resolved when the application starts. */
    private static String withoutLiterals(String expression) {
        return LITERAL.matcher(expression)
                .replaceAll(
                        match -> match.group().startsWith("'") || match.group().startsWith("\"")
                                ? "'" + SanitizableData.SANITIZED_VALUE + "'"
                                : SanitizableData.SANITIZED_VALUE);
    }

    /** Adds the schedules of the rules for individual errors, and lowers their attempts to the policy's maximum. */
    static Map<String, SettingDescription> withRules(Map<String, SettingDescription> shown, RetryPolicy policy) {
        policy.errorRules().forEach((error, rule) -> {
            String prefix = ErrorKey.ruleName(error) + ".";
            List<String> sources = shown.entrySet().stream()
                    .filter(entry -> entry.getKey().startsWith(prefix))
                    .flatMap(entry -> entry.getValue().sources().stream())
                    .distinct()
                    .toList();
            shown.computeIfPresent(
                    prefix + MAX_ATTEMPTS,
                    (key, set) -> attempts((Integer) set.value(), set.sources(), rule.maxAttempts()));
            List<String> schedule = rule.schedule(SCHEDULED).stream()
                    .map(RetryPolicy.DelayRange::toString)
                    .toList();
            shown.put(prefix + "schedule", new SettingDescription(schedule, sources));
        });
        return shown;
    }

    private static SettingDescription attempts(int configured, List<String> sources, @Nullable Integer limit) {
        int attempts = Math.max(1, configured);
        if (limit == null || limit >= attempts) {
            return new SettingDescription(attempts, sources);
        }
        List<String> both = new ArrayList<>(sources);
        both.add(LIMIT);
        return new SettingDescription(limit, both);
    }

    static SettingDescription withPlaceholders(SettingDescription shown, Map<String, String> placeholders) {
        List<String> written = ((Collection<?>) shown.value())
                .stream()
                        .map(item -> placeholders.getOrDefault(String.valueOf(item), String.valueOf(item)))
                        .toList();
        return new SettingDescription(written, shown.sources());
    }

    static Object plain(Object value) {
        if (value instanceof Collection<?> items) {
            return items.stream().map(ShownSettings::plain).toList();
        }
        if (value instanceof Class<?> type) {
            return type.getName();
        }
        if (value instanceof Enum<?> constant) {
            return constant.name().toLowerCase(Locale.ROOT);
        }
        boolean plain = value instanceof Number || value instanceof Boolean;
        return plain
                ? value
                : value instanceof Duration duration ? DurationText.print(duration) : String.valueOf(value);
    }
}
