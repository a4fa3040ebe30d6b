// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import dev.retryon.ContextCapture;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ContextSnapshot;
import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.context.integration.Slf4jThreadLocalAccessor;

/**
 * Passes the log context (MDC), and all values that have a {@code ThreadLocalAccessor}, such as the security context and
 * the current observation, to later attempts of asynchronous calls. It uses Micrometer's context propagation. Values that
 * the caller does not have are cleared for the attempt. Afterwards the thread has its own values again.
 */
public final class PropagatedContext implements ContextCapture {

    private final ContextSnapshotFactory registered =
            ContextSnapshotFactory.builder().clearMissing(true).build();

    /** The MDC's accessor is in the library, but is not registered. */
    private final ContextSnapshotFactory logging = ContextSnapshotFactory.builder()
            .contextRegistry(new ContextRegistry().registerThreadLocalAccessor(new Slf4jThreadLocalAccessor()))
            .clearMissing(true)
            .build();

    @Override
    public Snapshot capture() {
        ContextSnapshot log = logging.captureAll();
        ContextSnapshot rest = registered.captureAll();
        return () -> restore(log, rest);
    }

    private static Scope restore(ContextSnapshot log, ContextSnapshot rest) {
        ContextSnapshot.Scope outer = log.setThreadLocals();
        try {
            ContextSnapshot.Scope inner = rest.setThreadLocals();
            return () -> {
                try (outer) {
                    inner.close();
                }
            };
        } catch (RuntimeException | Error ex) {
            outer.close();
            throw ex;
        }
    }
}
