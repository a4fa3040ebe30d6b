/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.settings;

/**
 * The settings of one source.
 *
 * @param source where they come from
 * @param settings what is set there
 *
 * @since 0.1.0
 */
public record RetryLayer(SettingSource source, RetrySettings settings) {}
