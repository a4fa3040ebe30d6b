// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import dev.retryon.durable.internal.engine.CallEngine;
import java.util.function.Supplier;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Warns if this process can't run stored calls at the moment because its database refuses that. As with dead letters, the
 * warning does not change the status of the application by default.
 */
public final class DurableCallsHealthIndicator extends AbstractHealthIndicator {

    private final Supplier<CallEngine> engine;

    public DurableCallsHealthIndicator(Supplier<CallEngine> engine) {
        this.engine = engine;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        String problem = engine.get().problem();
        builder.up();
        if (problem != null) {
            builder.status(DeadLettersHealthIndicator.WARNING)
                    .withDetail("problem", "due calls can't be read: " + problem);
        }
    }
}
