/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Internal. The database in which calls are kept: which one, its tables, and its transactions. The packages that keep calls
 * there know what is in the tables.
 */
@NullMarked
package dev.retryon.durable.internal.store;

import org.jspecify.annotations.NullMarked;
