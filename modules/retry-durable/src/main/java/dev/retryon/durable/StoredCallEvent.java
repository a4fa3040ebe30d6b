// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

/**
 * Reports a change to a stored call that has died. Receive the event with
 * {@code @EventListener void on(StoredCallEvent event)}. It is published after the change has been stored. It reports
 * that a call was resent or discarded, that a resent call has succeeded or died, or that an operator has given up a
 * waiting call. If any other call dies, {@link dev.retryon.DeadLettered} is published instead.
 *
 * @param id the id of the call
 * @param name the name of the method, as in other events
 * @param action what was changed, when and by whom
 * @since 0.1.0
 */
public record StoredCallEvent(String id, String name, StoredCall.Action action) {}
