// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.backoff.DurationText;
import dev.retryon.durable.internal.call.DurableSettings;
import dev.retryon.durable.internal.call.Lanes;
import dev.retryon.durable.internal.store.StoreChoice;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetryFaults.CheckedProperties;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;
import org.springframework.util.unit.DataSize;

/** Durable calls. Does not refer to types of JDBC or of the engine, which may be absent. */
@ConfigurationProperties("retryon.durable")
class RetryDurableProperties implements CheckedProperties {

    private static final Duration SHORTEST = Duration.ofMillis(50);

    private static final Duration LONGEST = Duration.ofHours(1);

    private static final int THREADS = 5;

    private static final double LOWEST_RATE = 0.001;

    private static final double HIGHEST_RATE = 10_000;

    private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

    private static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(10);

    private static final Duration UNRESOLVED_AFTER = Duration.ofHours(1);

    private static final Duration ATTEMPT_TIMEOUT = Duration.ofMinutes(5);

    /** Where to store calls: in the application's database, or in a separate file. */
    private StoreChoice.Mode store = StoreChoice.Mode.AUTO;

    /**
     * Name of the application whose calls, dead letters and shared settings this process uses. Applications that
     * share a database need different names. If not set, it is "spring.application.name", or else "retryon".
     */
    private @Nullable String application;

    /** File of the embedded store. */
    private String path = "./retryon.db";

    /**
     * Transaction in which the retry of a call is stored: the caller's (join), which can roll it back, or a new one
     * (requires-new).
     */
    private DurableSettings.Transaction transaction = DurableSettings.Transaction.REQUIRES_NEW;

    /**
     * Whether calls with the mode outbox, and retries with transaction=join, may be stored outside the caller's
     * transaction if the store cannot take part in it.
     */
    private boolean outboxApart;

    /**
     * Maximum number of durable calls that this process runs at the same time. With 0, it stores calls and leaves them to
     * other processes of the application. Not negative, and at least 1 with the store 'embedded'.
     */
    private int threads = THREADS;

    /**
     * Interval at which this process polls for due calls. From 50ms to 1h. Calls that it stored itself start
     * on time.
     */
    private Duration pollInterval = POLL_INTERVAL;

    /**
     * Interval at which this process renews the leases of its running calls. From 50ms to 1h. A lease expires after
     * four consecutive missed renewals.
     */
    private Duration heartbeatInterval = HEARTBEAT_INTERVAL;

    /**
     * How long a call waits if its stored arguments do not fit its method, before it becomes a dead letter. Health is
     * WARNING if no running process has the method of a call for that time. 0 or more.
     */
    private Duration unresolvedAfter = UNRESOLVED_AFTER;

    /**
     * Maximum number of waiting durable calls of this application. Beyond it, calls are not stored: they fail as without
     * a store. At least 1. If not set, there is no limit.
     */
    private @Nullable Long maxWaiting;

    /**
     * Maximum number of attempts of stored calls that this process starts per second in the default lane, and in each
     * lane without its own max-per-second. From 0.001 to 10000. If not set, there is no limit.
     */
    private @Nullable Double maxPerSecond;

    /** Lanes of durable calls. A lane with its own threads does not wait for calls of other lanes. */
    private final Map<String, LaneProperties> lanes = new LinkedHashMap<>();

    /**
     * Time limit of an attempt that a worker runs, if its method sets no attempt-timeout. Not negative; 0 for no limit. It
     * does not apply to first attempts on the caller's thread.
     */
    private Duration attemptTimeout = ATTEMPT_TIMEOUT;

    public StoreChoice.Mode getStore() {
        return store;
    }

    public void setStore(StoreChoice.Mode store) {
        this.store = store;
    }

    public @Nullable String getApplication() {
        return application;
    }

    public void setApplication(@Nullable String application) {
        this.application = application;
    }

    /** The name that is set, or that of Spring Boot. */
    @Nullable String application(Environment environment) {
        return StringUtils.hasText(application) ? application : environment.getProperty("spring.application.name");
    }

    public DurableSettings.Transaction getTransaction() {
        return transaction;
    }

    public void setTransaction(DurableSettings.Transaction transaction) {
        this.transaction = transaction;
    }

    public boolean isOutboxApart() {
        return outboxApart;
    }

    public void setOutboxApart(boolean outboxApart) {
        this.outboxApart = outboxApart;
    }

    public int getThreads() {
        return threads;
    }

    public void setThreads(int threads) {
        this.threads = threads;
    }

    public Duration getPollInterval() {
        return pollInterval;
    }

    public void setPollInterval(Duration pollInterval) {
        this.pollInterval = pollInterval;
    }

    public Duration getHeartbeatInterval() {
        return heartbeatInterval;
    }

    public void setHeartbeatInterval(Duration heartbeatInterval) {
        this.heartbeatInterval = heartbeatInterval;
    }

    public Duration getUnresolvedAfter() {
        return unresolvedAfter;
    }

    public void setUnresolvedAfter(Duration unresolvedAfter) {
        this.unresolvedAfter = unresolvedAfter;
    }

    public Duration getAttemptTimeout() {
        return attemptTimeout;
    }

    public void setAttemptTimeout(Duration attemptTimeout) {
        this.attemptTimeout = attemptTimeout;
    }

    public @Nullable Long getMaxWaiting() {
        return maxWaiting;
    }

    public void setMaxWaiting(@Nullable Long maxWaiting) {
        this.maxWaiting = maxWaiting;
    }

    public @Nullable Double getMaxPerSecond() {
        return maxPerSecond;
    }

    public void setMaxPerSecond(@Nullable Double maxPerSecond) {
        this.maxPerSecond = maxPerSecond;
    }

    public Map<String, LaneProperties> getLanes() {
        return lanes;
    }

    public String getPath() {
        return path;
    }

    public void setPath(String path) {
        this.path = path;
    }

    @Override
    public void check(RetryFaults faults) {
        if (threads < 0) {
            faults.add("retryon.durable.threads", "is '" + threads + "', but must not be negative");
            threads = THREADS;
        } else if (threads == 0 && store == StoreChoice.Mode.EMBEDDED) {
            faults.add(
                    "retryon.durable.threads",
                    "is '0', but retryon.durable.store is 'embedded', and no other process runs calls of that file;"
                            + " use at least 1");
            threads = THREADS;
        }
        pollInterval = checked("retryon.durable.poll-interval", pollInterval, POLL_INTERVAL, faults);
        heartbeatInterval =
                checked("retryon.durable.heartbeat-interval", heartbeatInterval, HEARTBEAT_INTERVAL, faults);
        unresolvedAfter = notNegative("unresolved-after", unresolvedAfter, UNRESOLVED_AFTER, faults);
        lanes.entrySet()
                .removeIf(lane -> !lane.getValue().isValid(lane.getKey(), store == StoreChoice.Mode.EMBEDDED, faults));
        maxWaiting = atLeast(1, "retryon.durable.max-waiting", maxWaiting, faults);
        maxPerSecond = rate("retryon.durable.max-per-second", maxPerSecond, faults);
        attemptTimeout = notNegative("attempt-timeout", attemptTimeout, ATTEMPT_TIMEOUT, faults);
    }

    static @Nullable Long atLeast(long least, String name, @Nullable Long number, RetryFaults faults) {
        if (number == null || number >= least) {
            return number;
        }
        faults.add(name, "is '" + number + "', but must be at least " + least);
        return null;
    }

    static @Nullable Double rate(String name, @Nullable Double rate, RetryFaults faults) {
        // Not a number is no rate either.
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
        faults.add("retryon.durable." + name, "is '" + DurationText.print(time) + "', but must not be negative");
        return usual;
    }

    static Duration checked(String name, Duration interval, Duration usual, RetryFaults faults) {
        if (interval.compareTo(SHORTEST) >= 0 && interval.compareTo(LONGEST) <= 0) {
            return interval;
        }
        faults.add(name, "is '" + DurationText.print(interval) + "', but must be from 50ms to 1h");
        return usual;
    }

    Lanes lanes() {
        Map<String, Lanes.Lane> named = new HashMap<>();
        lanes.forEach((name, lane) -> named.put(name, lane.toLane()));
        return new Lanes(threads, maxWaiting, maxPerSecond, named);
    }

    DurableSettings toSettings(DataSize maxArguments, String version, String shownVersion) {
        return new DurableSettings(
                transaction == DurableSettings.Transaction.JOIN,
                outboxApart,
                unresolvedAfter,
                attemptTimeout,
                lanes(),
                maxArguments.toBytes(),
                version,
                shownVersion);
    }

    DurableSettings.Engine toEngineSettings(Duration shutdownTimeout) {
        // Shutdown waits once for running calls, and once more after they were interrupted.
        return new DurableSettings.Engine(lanes(), pollInterval, heartbeatInterval, shutdownTimeout.dividedBy(2));
    }
}
