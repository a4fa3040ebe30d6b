// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.settings.RetrySettings;
import dev.retryon.spring.internal.settings.Setting;
import dev.retryon.spring.internal.settings.SettingSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the settings of a block of properties, and records their faults. */
record PropertyReader(RetrySettings.Builder settings, SettingSource source, RetryFaults faults) {

    <T> void accept(Setting<T> setting, @Nullable T value) {
        settings.accept(setting, value, problem -> faults.add(source.place(setting), problem));
    }

    void read(Setting<?> setting, @Nullable String text) {
        if (text != null) {
            settings.read(setting, text, problem -> faults.add(source.place(setting), problem));
        }
    }

    /** Binding checks only that they are classes. */
    Set<Class<? extends Throwable>> errors(Setting<?> setting, List<? extends Class<?>> types) {
        Set<Class<? extends Throwable>> errors = new LinkedHashSet<>();
        for (Class<?> type : types) {
            if (Throwable.class.isAssignableFrom(type)) {
                errors.add(type.asSubclass(Throwable.class));
            } else {
                faults.add(source.place(setting), "has '" + type.getName() + "', which is not an exception class");
            }
        }
        return errors;
    }

    /** Leaves out empty items, such as after a trailing comma. */
    static Set<String> texts(List<String> items) {
        Set<String> texts = new LinkedHashSet<>();
        for (String item : items) {
            if (item != null && !item.isBlank()) {
                texts.add(item);
            }
        }
        return texts;
    }
}
