/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.settings;

/**
 * A place that says something about a method.
 *
 * @param source the place, as people find it: {@code retryon.defaults}, {@code @RetryOn on PaymentService.charge}
 * @param settings what it says
 * @since 0.1.0
 */
public record RetryLayer(String source, RetrySettings settings) {}
