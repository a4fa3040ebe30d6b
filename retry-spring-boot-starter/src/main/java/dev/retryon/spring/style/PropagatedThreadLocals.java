/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.style;

import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.function.Supplier;
import reactor.util.context.ContextView;

/**
 * Sets thread-locals by Micrometer's context propagation, and puts back what was there before.
 *
 * @since 0.1.0
 */
public final class PropagatedThreadLocals implements ReactorThreadLocals {

    private final ContextSnapshotFactory snapshots =
            ContextSnapshotFactory.builder().build();

    /** Creates it. */
    public PropagatedThreadLocals() {}

    @Override
    public <T> T with(ContextView subscriber, Supplier<T> beginning) {
        try (ContextSnapshot.Scope scope = snapshots.setThreadLocalsFrom(subscriber)) {
            return beginning.get();
        }
    }
}
