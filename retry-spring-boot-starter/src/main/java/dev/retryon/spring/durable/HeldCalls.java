/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import org.jspecify.annotations.Nullable;

/** Which stored call a thread makes an attempt of. */
final class HeldCalls {

    // Of one application, and removed when the attempt has ended.
    @SuppressWarnings("ThreadLocalUsage")
    private final ThreadLocal<@Nullable HeldCall> current = new ThreadLocal<>();

    /** The call of this id, if this thread makes an attempt of it. */
    @Nullable HeldCall find(String callId) {
        HeldCall held = current.get();
        return held != null && held.lease().id().equals(callId) ? held : null;
    }

    void begin(HeldCall held) {
        current.set(held);
    }

    void end() {
        current.remove();
    }
}
