// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.settings.DurableGroup;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of durable calls: those of {@code retryon.durable.lanes}, and the default lane. A lane has its own threads in this
 * process, or shares the default threads. Immutable.
 */
public final class Lanes {

    /** The lane of methods that name none. */
    public static final String DEFAULT = DurableGroup.DEFAULT_LANE;

    private final Map<String, Lane> lanes;

    private final @Nullable Long maxWaiting;

    private final @Nullable Double maxPerSecond;

    private final Map<String, Integer> pools = new LinkedHashMap<>();

    private final NavigableMap<Integer, Set<String>> shared = new TreeMap<>(Comparator.reverseOrder());

    /**
     * A lane.
     *
     * @param threads its number of threads, possibly none; {@code null} if it shares the default threads
     * @param priority the order of due calls on the default threads; calls of a higher priority are first
     * @param maxPerSecond how many attempts of the lane may start per second; {@code null} for the rate of all lanes
     * @param probe whether calls of the lane are tried one at a time after several attempts have failed in a row
     */
    public record Lane(
            @Nullable Integer threads,
            int priority,
            @Nullable Long maxWaiting,
            @Nullable Double maxPerSecond,
            boolean probe) {}

    /**
     * The lanes of a process.
     *
     * @param maxPerSecond how many attempts of each lane without its own rate may start per second; {@code null} for any number
     */
    public Lanes(int threads, @Nullable Long maxWaiting, @Nullable Double maxPerSecond, Map<String, Lane> configured) {
        this.maxWaiting = maxWaiting;
        this.maxPerSecond = maxPerSecond;
        this.lanes = new TreeMap<>(configured);
        lanes.put(DEFAULT, new Lane(null, 0, null, null, false));
        lanes.forEach((name, lane) -> {
            if (lane.threads() == null) {
                shared.computeIfAbsent(lane.priority(), priority -> new TreeSet<>())
                        .add(name);
            } else if (lane.threads() > 0) {
                pools.put(name, lane.threads());
            }
        });
        if (threads > 0) {
            pools.put(DEFAULT, threads);
        }
    }

    public Set<String> names() {
        return Collections.unmodifiableSet(lanes.keySet());
    }

    /** The calls of each lane with stored calls, of which the default lane has those of lanes that are not known here. */
    Map<String, CallEngine.Backlog> known(Map<String, CallEngine.Backlog> stored) {
        Map<String, CallEngine.Backlog> known = new TreeMap<>();
        stored.forEach((name, calls) ->
                known.merge(lanes.containsKey(name) ? name : DEFAULT, calls, CallEngine.Backlog::plus));
        return known;
    }

    boolean isLimited() {
        return maxWaiting != null || lanes.values().stream().anyMatch(lane -> lane.maxWaiting() != null);
    }

    @Nullable Long maxWaiting() {
        return maxWaiting;
    }

    @Nullable Long maxWaiting(String name) {
        Lane lane = lanes.get(name);
        return lane == null ? null : lane.maxWaiting();
    }

    Map<String, LaneGate> newGates() {
        Map<String, LaneGate> gates = new TreeMap<>();
        lanes.forEach((name, lane) -> gates.put(name, new LaneGate(rate(lane), lane.probe(), System::nanoTime)));
        return Collections.unmodifiableMap(gates);
    }

    private @Nullable Double rate(Lane lane) {
        return lane.maxPerSecond() == null ? maxPerSecond : lane.maxPerSecond();
    }

    /** Whether the gate of a lane may ever refuse a call. */
    boolean isPaced(String name) {
        Lane lane = Objects.requireNonNull(lanes.getOrDefault(name, lanes.get(DEFAULT)));
        return lane.probe() || rate(lane) != null;
    }

    public boolean runsCalls() {
        return !pools.isEmpty();
    }

    /** The lanes that have threads in this process, with their number; the default lane stands for all that share its threads. */
    Map<String, Integer> pools() {
        return Collections.unmodifiableMap(pools);
    }

    /** The lane whose threads run the calls of a lane: itself or the default lane, also for one that is not known here. */
    String pool(String name) {
        Lane lane = lanes.get(name);
        return lane == null || lane.threads() == null ? DEFAULT : name;
    }

    /** Whether threads of this process run the calls of a lane. */
    boolean hasThreads(String name) {
        return pools.containsKey(pool(name));
    }

    /** The lanes that share the default threads: sets of the same priority, the highest first. */
    Collection<Set<String>> shared() {
        return Collections.unmodifiableCollection(shared.values());
    }
}
