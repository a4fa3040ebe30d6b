/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import java.time.Duration;

/**
 * How durable calls are stored and made: {@code retryon.durable}.
 *
 * @param joinCallers whether the retry of a call is stored in the transaction of its caller
 * @param outboxApart whether calls of {@code Durable.OUTBOX} may be stored apart from the transaction of their caller, where the
 *     store can't be part of it
 * @param unresolvedAfter for how long a call waits for a process that knows its method
 * @param maxArgumentBytes how long the arguments of a call may be, in bytes
 * @since 0.1.0
 */
public record DurableSettings(
        boolean joinCallers, boolean outboxApart, Duration unresolvedAfter, long maxArgumentBytes) {}
