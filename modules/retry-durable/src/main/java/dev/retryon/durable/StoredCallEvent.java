// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

/**
 * Reports a change of a stored call that has died, after the change was stored. Receive it with {@code @EventListener void
 * on(StoredCallEvent event)}. It is published when a call is resent or discarded, when a resent call has succeeded or died, and
 * when an operator gives up a waiting call. Any other call that dies publishes {@link dev.retryon.DeadLettered} instead.
 *
 * @param id the id of the call
 * @param name the name of the method, as in other events
 * @param action what was done, when and by whom
 * @since 0.1.0
 */
public record StoredCallEvent(String id, String name, StoredCall.Action action) {}
