// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import dev.retryon.backoff.DurationText;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.observe.StoreReadings;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Warns if too many dead letters are stored, or if the oldest is too old. The application still works, so {@link #WARNING}
 * does not change the status of the application unless {@code management.endpoint.health.status.order} contains it. If the
 * store does not respond, the status is unknown.
 */
public final class DeadLettersHealthIndicator extends AbstractHealthIndicator {

    public static final Status WARNING = new Status("WARNING");

    private final StoreReadings readings;

    private final @Nullable Long maxCount;

    private final @Nullable Duration maxAge;

    private final Clock clock;

    public DeadLettersHealthIndicator(
            StoreReadings readings, @Nullable Long maxCount, @Nullable Duration maxAge, Clock clock) {
        this.readings = readings;
        this.maxCount = maxCount;
        this.maxAge = maxAge;
        this.clock = clock;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        List<CallStore.Total> totals = readings.letters();
        if (totals == null) {
            builder.unknown().withDetail("problem", "the store of dead letters does not respond");
            return;
        }
        CallStore.Total dead = totals.stream()
                .filter(total -> total.state() == State.DEAD)
                .findFirst()
                .orElse(null);
        builder.up().withDetail("dead", dead == null ? 0 : dead.count());
        if (dead != null) {
            builder.withDetail("oldest", dead.oldest());
            List<String> problems = problems(dead);
            if (!problems.isEmpty()) {
                builder.status(WARNING).withDetail("problem", String.join("; ", problems));
            }
        }
    }

    private List<String> problems(CallStore.Total dead) {
        List<String> problems = new ArrayList<>();
        if (maxCount != null && dead.count() > maxCount) {
            problems.add("the number of dead letters exceeds retryon.dead-letter.health.max-count=" + maxCount);
        }
        Instant now = clock.instant();
        if (maxAge != null && Duration.between(dead.oldest(), now).compareTo(maxAge) > 0) {
            problems.add("the oldest dead letter is older than retryon.dead-letter.health.max-age="
                    + DurationText.print(maxAge));
        }
        return problems;
    }
}
