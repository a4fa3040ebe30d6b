/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import org.springframework.aop.MethodMatcher;

/**
 * Matches the methods that a proxy retries. Marks the advice of retries among the others that a bean's proxy has.
 *
 * @since 0.1.0
 */
public interface RetryMatcher extends MethodMatcher {}
