/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Calls that have failed for good and were kept: {@link dev.retryon.deadletter.DeadLetter what is kept}, and {@link
 * dev.retryon.deadletter.DeadLetterStore where}. It knows the root package; the engine knows only {@link
 * dev.retryon.DeadLetterQueue}.
 */
@NullMarked
package dev.retryon.deadletter;

import org.jspecify.annotations.NullMarked;
