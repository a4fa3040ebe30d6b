// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingGroup;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/** The properties of {@link SettingGroup groups}. Each block of settings contains a block for each group. */
final class GroupProperties {

    private final Iterable<ConfigurationPropertySource> sources;

    private final Binder binder;

    private final RetryFaults faults;

    GroupProperties(Environment environment, RetryFaults faults) {
        this.sources = ConfigurationPropertySources.get(environment);
        this.binder = Binder.get(environment);
        this.faults = faults;
    }

    /** Returns the settings of groups in a block such as {@code retryon.defaults}, as text, by setting. */
    Map<Setting<?>, String> in(String block) {
        return read(ConfigurationPropertyName.of(block));
    }

    /** Returns the settings of groups by block below a property such as {@code retryon.policies}, without empty blocks. */
    Map<String, Map<Setting<?>, String>> below(String property) {
        Map<String, Map<Setting<?>, String>> found = new LinkedHashMap<>();
        blocks(ConfigurationPropertyName.of(property)).forEach((key, block) -> {
            Map<Setting<?>, String> texts = read(block);
            if (!texts.isEmpty()) {
                found.put(key, texts);
            }
        });
        return found;
    }

    /**
     * Returns the blocks below a property, by the keys of a map that Spring Boot binds to it. Blocks without settings of groups
     * are included, because an environment variable does not always show where the key of its block ends.
     */
    private Map<String, ConfigurationPropertyName> blocks(ConfigurationPropertyName property) {
        Map<String, ConfigurationPropertyName> blocks = new LinkedHashMap<>();
        for (ConfigurationPropertySource source : sources) {
            if (source instanceof IterableConfigurationPropertySource names) {
                names.stream()
                        .filter(property::isAncestorOf)
                        .map(name -> name.chop(property.getNumberOfElements() + 1))
                        .forEach(name -> blocks.putIfAbsent(name.getLastElement(Form.ORIGINAL), name));
            }
        }
        return blocks;
    }

    /** Looks up each setting by its name, so that all forms of names work, and empty blocks do not hide settings. */
    private Map<Setting<?>, String> read(ConfigurationPropertyName block) {
        Map<Setting<?>, String> texts = new LinkedHashMap<>();
        for (SettingGroup group : SettingGroup.all()) {
            ConfigurationPropertyName name = block.append(group.name());
            String text = text(name);
            if (text != null && !text.isBlank()) {
                faults.add(name.toString(), "is '" + text + "', but must be a block of properties");
            }
            for (Setting<?> setting : group.settings()) {
                String value = setting.isOnlyForOperators() ? null : text(block.append(setting.property()));
                if (value != null) {
                    texts.put(setting, value);
                }
            }
        }
        return texts;
    }

    /** Returns a property's value, or {@code null} if it is missing or is an empty object in JSON. */
    private @Nullable String text(ConfigurationPropertyName name) {
        Object value = binder.bind(name, Bindable.of(Object.class)).orElse(null);
        return value == null || value instanceof Map ? null : value.toString();
    }
}
