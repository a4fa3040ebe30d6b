/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

import dev.retryon.deadletter.DeadLetter;

/**
 * Something was done with a dead letter, and that is in the store. Published as an application event, so that {@code
 * @EventListener void on(DeadLetterEvent event)} receives it: when the call is sent again ({@code RETRYING}), when that has
 * succeeded ({@code RESOLVED}) or failed ({@code DEAD}), and when it is discarded ({@code DISCARDED}). That a call was kept in
 * the first place is a {@link dev.retryon.DeadLettered}.
 *
 * @param id the id of the dead letter, which is that of the call
 * @param name the name of what was called
 * @param action what was done, when and by whom
 * @since 0.1.0
 */
public record DeadLetterEvent(String id, String name, DeadLetter.Action action) {}
