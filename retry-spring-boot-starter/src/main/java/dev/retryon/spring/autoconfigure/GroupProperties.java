// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.SettingGroup;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.IgnoreErrorsBindHandler;
import org.springframework.core.env.Environment;

/** The properties of {@link SettingGroup groups}, which have a block in each block of settings. */
final class GroupProperties {

    private final Binder binder;

    private final RetryFaults faults;

    GroupProperties(Environment environment, RetryFaults faults) {
        this.binder = Binder.get(environment);
        this.faults = faults;
    }

    /** The texts of the settings in a block, such as {@code retryon.defaults}. */
    Map<Setting<?>, String> in(String block) {
        return read(block, values(block));
    }

    /** The texts of the settings in each block below a property, such as {@code retryon.policies}; blocks without any are missing. */
    Map<String, Map<Setting<?>, String>> below(String property) {
        Map<String, Map<Setting<?>, String>> found = new LinkedHashMap<>();
        values(property).forEach((key, values) -> {
            Map<Setting<?>, String> texts = read(property + "." + key, values);
            if (!texts.isEmpty()) {
                found.put(key, texts);
            }
        });
        return found;
    }

    private Map<String, Object> values(String name) {
        Bindable<Map<String, Object>> values = Bindable.mapOf(String.class, Object.class);
        return SettingGroup.all().isEmpty()
                ? Map.of()
                : binder.bind(name, values, new IgnoreErrorsBindHandler()).orElse(Map.of());
    }

    private Map<Setting<?>, String> read(String place, @Nullable Object block) {
        Map<Setting<?>, String> texts = new LinkedHashMap<>();
        for (SettingGroup group : SettingGroup.all()) {
            Object values = value(block, group.name());
            if (values != null && !(values instanceof Map) && !values.toString().isBlank()) {
                faults.add(place + "." + group.name(), "is '" + values + "', but must be a block of properties");
            }
            for (Setting<?> setting : group.settings()) {
                Object value = setting.isOnlyForOperators() ? null : value(values, setting.localName());
                if (value != null && !(value instanceof Map)) {
                    texts.put(setting, value.toString());
                }
            }
        }
        return texts;
    }

    /** The value of a name that can be written in any form that Boot accepts; {@code null} if the block has none. */
    private static @Nullable Object value(@Nullable Object block, String name) {
        if (block instanceof Map<?, ?> values) {
            for (Map.Entry<?, ?> entry : values.entrySet()) {
                if (uniform(String.valueOf(entry.getKey())).equalsIgnoreCase(uniform(name))) {
                    return entry.getValue();
                }
            }
        }
        return null;
    }

    private static String uniform(String name) {
        return name.replaceAll("[-_]", "");
    }
}
