// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

/** Which calls of a method are stored. {@code dev.retryon.spring.Durable} is the attribute that sets it. */
public enum StoringMode {
    OFF,

    /** Calls whose first attempt has failed. */
    ON_FAILURE,

    /** All calls, before their first attempt. */
    OUTBOX
}
