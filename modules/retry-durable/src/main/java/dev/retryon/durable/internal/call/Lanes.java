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

/** The lanes of {@code retryon.durable.lanes} and the default lane, each with its own or the default threads. Immutable. */
public final class Lanes {

    /** The lane of methods that do not name a lane. */
    public static final String DEFAULT = DurableGroup.DEFAULT_LANE;

    private final Map<String, Lane> lanes;

    private final @Nullable Long maxWaiting;

    private final @Nullable Double maxPerSecond;

    private final Map<String, Integer> pools = new LinkedHashMap<>();

    private final NavigableMap<Integer, Set<String>> shared = new TreeMap<>(Comparator.reverseOrder());

    /**
     * A lane.
     *
     * @param threads the number of threads, possibly none; {@code null} if the lane shares the default threads
     * @param priority the order of due calls on the default threads; calls with a higher priority come first
     * @param maxPerSecond the number of attempts that may start per second; {@code null} for the rate of all lanes
     * @param probe whether calls of the lane are tried one at a time after several attempts have failed in a row
     */
    public record Lane(
            @Nullable Integer threads,
            int priority,
            @Nullable Long maxWaiting,
            @Nullable Double maxPerSecond,
            boolean probe) {}

    /** Creates a process's lanes. The rate applies to lanes without their own rate; {@code null} for no limit. */
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

    /** Returns the stored calls by lane. The default lane includes the calls of lanes that this process does not know. */
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

    /** Returns whether a lane's gate can ever reject a call. */
    boolean isPaced(String name) {
        Lane lane = Objects.requireNonNull(lanes.getOrDefault(name, lanes.get(DEFAULT)));
        return lane.probe() || rate(lane) != null;
    }

    public boolean runsCalls() {
        return !pools.isEmpty();
    }

    /** Returns the number of threads by lane. The default lane represents all lanes that share its threads. */
    Map<String, Integer> pools() {
        return Collections.unmodifiableMap(pools);
    }

    /** Returns the lane whose threads run a lane's calls: the lane itself or the default lane, also for unknown lanes. */
    String pool(String name) {
        Lane lane = lanes.get(name);
        return lane == null || lane.threads() == null ? DEFAULT : name;
    }

    boolean hasThreads(String name) {
        return pools.containsKey(pool(name));
    }

    /** Returns the lanes that share the default threads, as sets of the same priority, the highest first. */
    Collection<Set<String>> shared() {
        return Collections.unmodifiableCollection(shared.values());
    }
}
