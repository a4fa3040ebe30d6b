/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The database in which calls are kept: which one, its tables, and its transactions. What is in the tables is the business of
 * the packages that keep calls there.
 */
@NullMarked
package dev.retryon.spring.store;

import org.jspecify.annotations.NullMarked;
