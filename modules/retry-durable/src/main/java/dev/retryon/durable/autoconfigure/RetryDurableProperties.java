// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.backoff.DurationText;
import dev.retryon.durable.internal.call.DurableSettings;
import dev.retryon.durable.internal.call.Lanes;
import dev.retryon.durable.internal.store.StoreMode;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetryFaults.CheckedProperties;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;
import org.springframework.util.unit.DataSize;

/**
 * Durable calls. This class does not refer to types of JDBC or of the engine, because they can be absent.
 *
 * @param store Where to store calls: in the application's database, or in a separate file.
 * @param application Name of the application whose calls, dead letters and shared settings this process uses.
 *     Applications that share a database need different names. The default is "spring.application.name", or else
 *     "retryon".
 * @param path File of the embedded store.
 * @param transaction Transaction in which the retry of a call is stored: the caller's transaction (join), which can
 *     roll the retry back, or a new one (requires-new).
 * @param outboxApart Whether calls with the mode outbox, and retries with transaction=join, may be stored outside the caller's
 *     transaction if the store cannot take part in it.
 * @param threads Maximum number of durable calls that this process runs at the same time, 0 or more. With 0, this
 *     process stores calls but leaves their attempts to other processes of the application. At least 1 is required if
 *     the store is 'embedded'.
 * @param pollInterval Interval, from 50ms to 1h, at which this process polls for due calls. Calls that this process has
 *     stored itself start on time.
 * @param heartbeatInterval Interval, from 50ms to 1h, at which this process renews the leases of its running calls. A
 *     lease expires after four consecutive missed renewals.
 * @param unresolvedAfter Time, 0 or more, that a call waits before it becomes a dead letter because its stored
 *     arguments do not fit its method. If no running process has the method of a call for that time, health is WARNING.
 * @param maxWaiting Maximum number of waiting durable calls of this application, at least 1. If the maximum is reached,
 *     further calls are not stored, and they fail as if the application had no store. If not set, there is no limit.
 * @param maxPerSecond Maximum number of attempts of stored calls that this process starts per second, from 0.001 to
 *     10000. The limit applies to the default lane, and to each lane without its own max-per-second. If not set, there
 *     is no limit.
 * @param lanes Lanes of durable calls. A lane with its own threads does not wait for calls of other lanes.
 * @param attemptTimeout Time limit, 0 or more, of an attempt that a worker runs, if its method sets no attempt-timeout.
 *     0 means no limit. The limit does not apply to first attempts on the caller's thread.
 */
@ConfigurationProperties("retryon.durable")
record RetryDurableProperties(
        @DefaultValue("auto") StoreMode store,
        @Nullable String application,
        @DefaultValue("./retryon.db") String path,
        @DefaultValue("requires-new") DurableSettings.Transaction transaction,
        @DefaultValue("false") boolean outboxApart,
        @DefaultValue("5") int threads,
        @DefaultValue("1s") Duration pollInterval,
        @DefaultValue("10s") Duration heartbeatInterval,
        @DefaultValue("1h") Duration unresolvedAfter,
        @Nullable Long maxWaiting,
        @Nullable Double maxPerSecond,
        @DefaultValue Map<String, Lanes.Lane> lanes,
        @DefaultValue("5m") Duration attemptTimeout)
        implements CheckedProperties {

    private static final Duration SHORTEST = Duration.ofMillis(50);

    private static final Duration LONGEST = Duration.ofHours(1);

    private static final double LOWEST_RATE = 0.001;

    private static final double HIGHEST_RATE = 10_000;

    private static final Pattern LANE = Pattern.compile("[a-z0-9-]{1,50}");

    /** Returns the configured name, or else the name of the Spring Boot application. */
    @Nullable String application(Environment environment) {
        return StringUtils.hasText(application) ? application : environment.getProperty("spring.application.name");
    }

    @Override
    public RetryDurableProperties checked(RetryFaults faults) {
        RetryDurableProperties usual = new Binder().bindOrCreate("usual", RetryDurableProperties.class);
        Map<String, Lanes.Lane> valid = new LinkedHashMap<>();
        lanes.forEach((name, lane) -> {
            if (isLane(name, faults)) {
                valid.put(name, checked("retryon.durable.lanes." + name, lane, faults));
            }
        });
        return new RetryDurableProperties(
                store,
                application,
                path,
                transaction,
                outboxApart,
                isNumberOfThreads("retryon.durable.threads", threads, faults) ? threads : usual.threads,
                interval("retryon.durable.poll-interval", pollInterval, usual.pollInterval, faults),
                interval("retryon.durable.heartbeat-interval", heartbeatInterval, usual.heartbeatInterval, faults),
                notNegative("retryon.durable.unresolved-after", unresolvedAfter, usual.unresolvedAfter, faults),
                atLeast(1, "retryon.durable.max-waiting", maxWaiting, faults),
                rate("retryon.durable.max-per-second", maxPerSecond, faults),
                valid,
                notNegative("retryon.durable.attempt-timeout", attemptTimeout, usual.attemptTimeout, faults));
    }

    private static boolean isLane(String name, RetryFaults faults) {
        if (name.equals(Lanes.DEFAULT)) {
            faults.add(
                    "retryon.durable.lanes." + name,
                    "is the lane of methods without a configured lane; use retryon.durable.threads instead");
            return false;
        }
        if (!LANE.matcher(name).matches()) {
            faults.add(
                    "retryon.durable.lanes." + name,
                    "is not a valid lane name; use at most 50 lower-case letters, digits and '-', such as"
                            + " retryon.durable.lanes.mail");
            return false;
        }
        return true;
    }

    private Lanes.Lane checked(String place, Lanes.Lane lane, RetryFaults faults) {
        Integer own = lane.threads();
        if (own != null && own > 0 && lane.priority() != 0) {
            faults.add(
                    place + ".priority",
                    "is '" + lane.priority() + "', but the lane has its own threads and does not compete with other"
                            + " lanes; remove " + place + ".priority or " + place + ".threads");
        }
        return new Lanes.Lane(
                own != null && isNumberOfThreads(place + ".threads", own, faults) ? own : null,
                lane.priority(),
                atLeast(1, place + ".max-waiting", lane.maxWaiting(), faults),
                rate(place + ".max-per-second", lane.maxPerSecond(), faults),
                lane.probe());
    }

    private boolean isNumberOfThreads(String name, int number, RetryFaults faults) {
        if (number < 0) {
            faults.add(name, "is '" + number + "', but must not be negative");
            return false;
        }
        if (number == 0 && store == StoreMode.EMBEDDED) {
            faults.add(
                    name,
                    "is '0', but retryon.durable.store is 'embedded', and no other process can run the calls in that"
                            + " file; use at least 1");
            return false;
        }
        return true;
    }

    static @Nullable Long atLeast(long least, String name, @Nullable Long number, RetryFaults faults) {
        if (number == null || number >= least) {
            return number;
        }
        faults.add(name, "is '" + number + "', but must be at least " + least);
        return null;
    }

    private static @Nullable Double rate(String name, @Nullable Double rate, RetryFaults faults) {
        // A value that is not a number is not a rate either.
        if (rate == null || (rate >= LOWEST_RATE && rate <= HIGHEST_RATE)) {
            return rate;
        }
        faults.add(name, "is '" + rate + "', but must be a number from 0.001 to 10000, such as 20");
        return null;
    }

    private static Duration notNegative(String name, Duration time, Duration usual, RetryFaults faults) {
        if (!time.isNegative()) {
            return time;
        }
        faults.add(name, "is '" + DurationText.print(time) + "', but must not be negative");
        return usual;
    }

    static Duration interval(String name, Duration interval, Duration usual, RetryFaults faults) {
        if (interval.compareTo(SHORTEST) >= 0 && interval.compareTo(LONGEST) <= 0) {
            return interval;
        }
        faults.add(name, "is '" + DurationText.print(interval) + "', but must be between 50ms and 1h");
        return usual;
    }

    Lanes toLanes() {
        return new Lanes(threads, maxWaiting, maxPerSecond, lanes);
    }

    DurableSettings toSettings(DataSize maxArguments, Duration shutdownTimeout, String version, String shownVersion) {
        return new DurableSettings(
                transaction == DurableSettings.Transaction.JOIN,
                outboxApart,
                unresolvedAfter,
                attemptTimeout,
                toLanes(),
                pollInterval,
                heartbeatInterval,
                // Shutdown waits once for running calls, and then again after they have been interrupted.
                shutdownTimeout.dividedBy(2),
                maxArguments.toBytes(),
                version,
                shownVersion);
    }
}
