/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import dev.retryon.spring.settings.RetrySettings;
import dev.retryon.spring.settings.Setting;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is stored of the settings that are overridden for a call: numbers, times, and words of a fixed list. Types, expressions
 * and names of beans are not, because what stands in a row must not choose the code that runs.
 */
final class CallOverrides {

    private static final String FIELD = "override";

    private CallOverrides() {}

    static void write(ObjectNode call, RetrySettings override) {
        List<? extends Setting<?>> kept =
                override.values().keySet().stream().filter(Setting::isPlain).toList();
        if (!kept.isEmpty()) {
            ObjectNode item = call.putObject(FIELD);
            kept.forEach(
                    setting -> item.put(setting.attribute(), override.texts().get(setting.attribute())));
        }
    }

    /**
     * Reads an override.
     *
     * @throws IllegalArgumentException with a sentence, if it is none that is ever stored
     */
    static RetrySettings read(JsonNode call) {
        JsonNode item = call.get(FIELD);
        if (item == null) {
            return RetrySettings.NONE;
        }
        RetrySettings.Builder override = RetrySettings.builder();
        item.properties()
                .forEach(entry -> read(setting(entry.getKey()), entry.getValue().stringValue(), override));
        return override.build();
    }

    private static Setting<?> setting(String attribute) {
        return Setting.all().stream()
                .filter(setting -> setting.isPlain() && setting.attribute().equals(attribute))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + attribute + "' is never overridden"));
    }

    private static void read(Setting<?> setting, @Nullable String text, RetrySettings.Builder override) {
        override.read(setting, String.valueOf(text), fault -> {
            throw new IllegalArgumentException(fault);
        });
    }
}
