// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.observe.StoreReadings;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Warns if the database currently prevents this process from running stored calls, or if no running process has had the
 * method of a call for a long time. As with dead letters, the application's status does not change by default.
 */
public final class DurableCallsHealthIndicator extends AbstractHealthIndicator {

    private final Supplier<CallEngine> engine;

    private final StoreReadings readings;

    private final Duration unresolvedAfter;

    private final Clock clock;

    public DurableCallsHealthIndicator(
            Supplier<CallEngine> engine, StoreReadings readings, Duration unresolvedAfter, Clock clock) {
        this.engine = engine;
        this.readings = readings;
        this.unresolvedAfter = unresolvedAfter;
        this.clock = clock;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        String problem = problem();
        builder.up();
        if (problem != null) {
            builder.status(DeadLettersHealthIndicator.WARNING).withDetail("problem", problem);
        }
    }

    private @Nullable String problem() {
        String refused = engine.get().problem();
        if (refused != null) {
            return "due calls cannot be read: " + refused;
        }
        CallEngine.Backlog unresolved = readings.unresolved().orElse(null);
        Instant due = unresolved == null ? null : unresolved.nextDue();
        if (unresolved == null
                || due == null
                || Duration.between(due, clock.instant()).compareTo(unresolvedAfter) < 0) {
            return null;
        }
        return unresolved.waiting() + " calls wait for a method that no running process has, the first since " + due
                + "; deploy a version with the method, configure its old name in retryon.dead-letter.aliases, or give"
                + " up the calls";
    }
}
