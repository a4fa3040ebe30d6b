/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The id of a call, made when it is first asked for: most calls need none. Thread-safe. */
final class CallId {

    private @Nullable String value;

    CallId() {}

    /** The id of a call that was stored. */
    CallId(String value) {
        this.value = value;
    }

    synchronized String value() {
        if (value == null) {
            value = UUID.randomUUID().toString();
        }
        return value;
    }
}
