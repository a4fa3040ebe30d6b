// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

/** Where calls are stored: {@code retryon.durable.store}. */
public enum StoreMode {
    /** In the application's own database. */
    AUTO,

    /** In a separate file, regardless of the application's databases. For one process. */
    EMBEDDED
}
