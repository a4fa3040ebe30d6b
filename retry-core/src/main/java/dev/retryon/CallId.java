// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The id of a call, created when it is first needed, because most calls need none. Thread-safe. */
final class CallId {

    private @Nullable String value;

    CallId() {}

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
