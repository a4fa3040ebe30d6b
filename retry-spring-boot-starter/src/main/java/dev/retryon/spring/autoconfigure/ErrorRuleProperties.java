// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.report.Suggestion;
import dev.retryon.spring.internal.settings.ErrorKey;
import dev.retryon.spring.internal.settings.RetrySettings;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.SettingSource;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Reads the rules of a block of settings. They are bound as texts, because the name of an error has dots: {@code
 * http.503.delay} sets the delay of the rule for the code {@code http.503}.
 */
final class ErrorRuleProperties {

    private final SettingSource source;

    private final RetryFaults faults;

    private final Set<String> seen = new HashSet<>();

    private final Map<ErrorKey, RetrySettings.Builder> rules = new LinkedHashMap<>();

    private ErrorRuleProperties(SettingSource source, RetryFaults faults) {
        this.source = source;
        this.faults = faults;
    }

    /** Reads rules from values by error and setting, and records their faults. */
    static Map<ErrorKey, RetrySettings> read(Map<String, String> texts, SettingSource source, RetryFaults faults) {
        ErrorRuleProperties reading = new ErrorRuleProperties(source, faults);
        texts.forEach(reading::read);
        Map<ErrorKey, RetrySettings> read = new LinkedHashMap<>();
        reading.rules.forEach((error, rule) -> read.put(error, rule.build()));
        return read;
    }

    private void read(String name, @Nullable String text) {
        int dot = name.lastIndexOf('.');
        String written = name.substring(dot + 1);
        Setting<?> setting = setting(written);
        if (text == null || text.isBlank()) {
            // A rule without settings, such as {} in YAML. Its errors are retried with the settings of the policy.
            // A setting without a value is ignored.
            if (setting == null) {
                rule(name);
            }
        } else if (setting == null) {
            List<String> known =
                    Setting.ofRules().stream().map(Setting::property).toList();
            fault(name, "is not a property; a rule has " + known + Suggestion.of(written, known));
        } else if (dot <= 0) {
            fault(
                    name,
                    "names no error; write an exception class or an error code before it, such as http.503." + written);
        } else {
            String error = name.substring(0, dot);
            RetrySettings.Builder rule = rule(error);
            // The strongest source comes first; others may spell the setting in another way.
            if (rule != null && seen.add(error + "." + setting)) {
                rule.read(setting, text, problem -> fault("[" + error + "]." + setting.property(), problem));
            }
        }
    }

    /** The rule for an error; {@code null} if there is no such error. */
    private RetrySettings.@Nullable Builder rule(String error) {
        ErrorKey key = ErrorKey.ofCode(error);
        if (error.contains(".") && ClassUtils.isPresent(error, null)) {
            Class<?> type = ClassUtils.resolveClassName(error, null);
            if (!Throwable.class.isAssignableFrom(type)) {
                fault("[" + error + "]", "names a class that is not an exception class");
                return null;
            }
            key = ErrorKey.of(type.asSubclass(Throwable.class));
        }
        return rules.computeIfAbsent(key, missing -> RetrySettings.builder());
    }

    /** The setting of a property in any spelling that Boot accepts. */
    private static @Nullable Setting<?> setting(String written) {
        String uniform = uniform(written);
        return Setting.ofRules().stream()
                .filter(setting -> uniform(setting.attribute()).equals(uniform))
                .findFirst()
                .orElse(null);
    }

    private static String uniform(String name) {
        return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
    }

    private void fault(String name, String problem) {
        faults.add(source.place(Setting.ERRORS) + (name.startsWith("[") ? "" : ".") + name, problem);
    }
}
