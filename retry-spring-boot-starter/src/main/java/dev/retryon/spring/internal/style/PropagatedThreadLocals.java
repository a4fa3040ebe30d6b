// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import dev.retryon.ContextCapture;
import io.micrometer.context.ContextSnapshotFactory;
import java.util.function.Function;
import reactor.util.context.ContextView;

/** Sets thread-locals from a subscriber's Reactor context by Micrometer's context propagation. */
final class PropagatedThreadLocals implements Function<ContextView, ContextCapture.Scope> {

    private final ContextSnapshotFactory snapshots =
            ContextSnapshotFactory.builder().build();

    @Override
    public ContextCapture.Scope apply(ContextView subscriber) {
        return snapshots.setThreadLocalsFrom(subscriber)::close;
    }
}
