/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Internal. What operators change while the application runs: settings of methods, switches, properties that are read again.
 * A change is checked for all methods and holds for all of them or for none. Methods know nothing of it.
 */
@NullMarked
package dev.retryon.spring.internal.control;

import org.jspecify.annotations.NullMarked;
