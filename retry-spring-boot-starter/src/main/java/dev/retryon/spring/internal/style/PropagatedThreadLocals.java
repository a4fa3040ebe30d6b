/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.style;

import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.function.Supplier;
import reactor.util.context.ContextView;

/** Sets thread-locals by Micrometer's context propagation, and puts back what was there before. */
final class PropagatedThreadLocals implements ReactorThreadLocals {

    private final ContextSnapshotFactory snapshots =
            ContextSnapshotFactory.builder().build();

    @Override
    public <T> T with(ContextView subscriber, Supplier<T> beginning) {
        try (ContextSnapshot.Scope scope = snapshots.setThreadLocalsFrom(subscriber)) {
            return beginning.get();
        }
    }
}
