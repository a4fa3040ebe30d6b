// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.durable.internal.call.Lanes;
import dev.retryon.spring.module.RetryFaults;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A lane of durable calls: {@code retryon.durable.lanes.<name>}. */
final class LaneProperties {

    private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,50}");

    /**
     * Maximum number of calls of the lane that this process runs at the same time. With 0, it stores them and leaves them
     * to other processes. If not set, the calls share the threads of "retryon.durable.threads". Not negative, and at
     * least 1 with the store 'embedded'.
     */
    private @Nullable Integer threads;

    /**
     * Order of due calls on shared threads: lanes of a higher priority are first. The default lane has 0. Only for lanes
     * without threads.
     */
    private int priority;

    /** Maximum number of waiting calls of the lane, as "retryon.durable.max-waiting". At least 1. */
    private @Nullable Long maxWaiting;

    /**
     * Maximum number of attempts of the lane that this process starts per second, as "retryon.durable.max-per-second",
     * which it overrides. From 0.001 to 10000.
     */
    private @Nullable Double maxPerSecond;

    /**
     * Whether this process runs one call of the lane at a time after 3 attempts in a row have failed, until one
     * succeeds.
     */
    private boolean probe;

    public @Nullable Double getMaxPerSecond() {
        return maxPerSecond;
    }

    public void setMaxPerSecond(@Nullable Double maxPerSecond) {
        this.maxPerSecond = maxPerSecond;
    }

    public boolean isProbe() {
        return probe;
    }

    public void setProbe(boolean probe) {
        this.probe = probe;
    }

    public @Nullable Long getMaxWaiting() {
        return maxWaiting;
    }

    public void setMaxWaiting(@Nullable Long maxWaiting) {
        this.maxWaiting = maxWaiting;
    }

    public @Nullable Integer getThreads() {
        return threads;
    }

    public void setThreads(@Nullable Integer threads) {
        this.threads = threads;
    }

    public int getPriority() {
        return priority;
    }

    public void setPriority(int priority) {
        this.priority = priority;
    }

    /** Whether the lane can be used; wrong values are replaced. */
    boolean isValid(String name, boolean embedded, RetryFaults faults) {
        String place = "retryon.durable.lanes." + name;
        if (name.equals(Lanes.DEFAULT)) {
            faults.add(place, "is the lane of methods that name none; use retryon.durable.threads instead");
            return false;
        }
        if (!NAME.matcher(name).matches()) {
            faults.add(
                    place,
                    "is not a valid name of a lane; use at most 50 lower-case letters, digits and '-', such as"
                            + " retryon.durable.lanes.mail");
            return false;
        }
        maxWaiting = RetryDurableProperties.atLeast(1, place + ".max-waiting", maxWaiting, faults);
        maxPerSecond = RetryDurableProperties.rate(place + ".max-per-second", maxPerSecond, faults);
        if (threads != null && threads < 0) {
            faults.add(place + ".threads", "is '" + threads + "', but must not be negative");
            threads = null;
        } else if (threads != null && threads == 0 && embedded) {
            faults.add(
                    place + ".threads",
                    "is '0', but retryon.durable.store is 'embedded', and no other process runs calls of that file;"
                            + " use at least 1");
            threads = null;
        } else if (threads != null && threads > 0 && priority != 0) {
            faults.add(
                    place + ".priority",
                    "is '" + priority + "', but the lane has its own threads and competes with no other lane;"
                            + " remove " + place + ".priority or " + place + ".threads");
        }
        return true;
    }

    Lanes.Lane toLane() {
        return new Lanes.Lane(threads, priority, maxWaiting, maxPerSecond, probe);
    }
}
