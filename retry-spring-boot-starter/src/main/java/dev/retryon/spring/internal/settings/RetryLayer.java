/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.settings;

import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetrySettings;
import java.util.List;
import java.util.Map;

/**
 * The settings of one source.
 *
 * @param source where they come from
 * @param settings what is set there
 * @param faults what is wrong if a method of this application has these settings, such as an exception that only another
 *     application has
 * @param placeholders the texts with placeholders, by what they give, which may be a secret
 */
public record RetryLayer(
        SettingSource source, RetrySettings settings, List<RetryFault> faults, Map<String, String> placeholders) {

    public RetryLayer(SettingSource source, RetrySettings settings) {
        this(source, settings, List.of(), Map.of());
    }
}
