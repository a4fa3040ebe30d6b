// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.Place;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingSource;
import dev.retryon.spring.module.StarterLog;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Reads the settings of a block of properties, and records their faults. */
final class PropertyReader {

    private final RetrySettings.Builder settings = RetrySettings.builder();

    private final SettingSource source;

    private final RetryFaults faults;

    /** Faults that are reported only if a method uses the settings. */
    private final List<RetryFault> ifUsed = new ArrayList<>();

    PropertyReader(SettingSource source, RetryFaults faults) {
        this.source = source;
        this.faults = faults;
    }

    /** Returns the layer of a block that has only settings of groups. */
    static RetrySettings layer(SettingSource source, Map<Setting<?>, String> groups, RetryFaults faults) {
        PropertyReader layer = new PropertyReader(source, faults);
        groups.forEach(layer::read);
        return layer.toLayer();
    }

    RetrySettings toLayer() {
        return settings.build().from(source).withFaults(ifUsed);
    }

    <T> void accept(Setting<T> setting, @Nullable T value) {
        settings.accept(setting, value, problem -> faults.add(source.place(setting), problem));
    }

    void read(Setting<?> setting, @Nullable String text) {
        if (text != null) {
            settings.read(setting, text, problem -> faults.add(source.place(setting), problem));
        }
    }

    void classes(Setting<Set<Class<? extends Throwable>>> setting, List<String> names) {
        Set<Class<? extends Throwable>> errors = new LinkedHashSet<>();
        List<String> missing = new ArrayList<>();
        for (String name : texts(names)) {
            if (!ClassUtils.isPresent(name, null)) {
                missing.add(name);
                continue;
            }
            Class<?> type = ClassUtils.resolveClassName(name, null);
            if (Throwable.class.isAssignableFrom(type)) {
                errors.add(type.asSubclass(Throwable.class));
            } else {
                faults.add(source.place(setting), "contains '" + name + "', which is not an exception class");
            }
        }
        if (!missing.isEmpty()) {
            missing(setting, missing);
        }
        accept(setting, errors);
    }

    private void missing(Setting<?> setting, List<String> names) {
        Place place = source.place(setting);
        String list = String.join("', '", names);
        boolean isForAll = source.equals(SettingSource.DEFAULTS);
        if (isForAll && setting.equals(Setting.EXCLUDES)) {
            StarterLog.infoOfStart(place + " ignores classes that are not on the class path: '" + list + "'");
            return;
        }
        RetryFault fault = new RetryFault(
                place,
                list.contains("${")
                        ? Setting.unresolved(list)
                        : "contains '" + list + "', but must list full names of exception classes on the class path,"
                                + " separated by commas");
        if (isForAll) {
            faults.add(fault);
        } else {
            // The settings can be for another application that has the class.
            ifUsed.add(fault);
        }
    }

    /** Omits empty items, such as an item after a trailing comma. */
    static Set<String> texts(List<String> items) {
        Set<String> texts = new LinkedHashSet<>();
        for (String item : items) {
            if (item != null && !item.isBlank()) {
                texts.add(item.trim());
            }
        }
        return texts;
    }
}
