// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

/** Where calls are kept: {@code retryon.durable.store}. */
public enum StoreMode {
    /** In the application's own database. */
    AUTO,

    /** In a separate file, whatever databases the application has. For one process. */
    EMBEDDED
}
