// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

import dev.retryon.deadletter.DeadLetter;

/**
 * Reports a change of a dead letter after it was stored. Receive it with {@code @EventListener void
 * on(DeadLetterEvent event)}. It is published when a dead letter is resent ({@code RETRYING}) or discarded ({@code
 * DISCARDED}), and when a resent call has succeeded ({@code RESOLVED}) or failed ({@code DEAD}). A waiting call that an
 * operator gives up publishes it too ({@code DEAD}). Any other new dead letter publishes {@link dev.retryon.DeadLettered}
 * instead.
 *
 * @param id the id of the dead letter, which is that of the call
 * @param name the name of the method, as in other events
 * @param action what was done, when and by whom
 * @since 0.1.0
 */
public record DeadLetterEvent(String id, String name, DeadLetter.Action action) {}
