// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.control;

import dev.retryon.backoff.DurationText;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetrySettingsChanged;
import dev.retryon.spring.internal.policy.MethodUpdates;
import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.policy.RetriedMethods;
import dev.retryon.spring.internal.report.StarterLog;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.internal.settings.RetrySettings;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Changes settings of methods while the application runs. A change is checked as settings are at start-up; if
 * anything is wrong with it for any method, nothing changes. Running calls keep their settings, but switching
 * retries off ends their waits. Thread-safe.
 *
 * <p>A change is prepared without a lock, because that may look up beans: a thread that creates a bean holds Spring's
 * lock and waits here.
 */
public final class RuntimeSettings implements AutoCloseable {

    /** The maximum duration of a change. */
    public static final Duration LONGEST = Duration.ofDays(365);

    private final MethodUpdates updates;

    private final ChangedMethods changedMethods;

    private final RetriedMethods methods;

    private final StandaloneSwitches others;

    private final ChangeRules rules;

    private final Clock clock;

    private final SettingsAnnouncement announcement;

    /** Locked while a change takes effect. Code of the application, which could wait for other locks, never runs then. */
    private final Object monitor = new Object();

    private volatile State state = new State(List.of());

    private final ScheduledThreadPoolExecutor timer = timer();

    public RuntimeSettings(
            MethodUpdates updates, RetriedMethods methods, Clock clock, ApplicationEventPublisher events) {
        this.updates = updates;
        this.changedMethods = new ChangedMethods(updates);
        this.methods = methods;
        this.others = new StandaloneSwitches(methods.standalone());
        this.rules = new ChangeRules(methods, others, updates);
        this.clock = clock;
        this.announcement = new SettingsAnnouncement(events);
        // Changes apply to beans that are created later, too.
        methods.observe(this::follow);
        methods.standalone().observe(retry -> switchOthers());
    }

    @SuppressWarnings("ReferenceEquality") // an equal list may be older
    private void switchOthers() {
        List<RuntimeChange> seen;
        do {
            seen = changes();
            others.obey(seen);
        } while (seen != changes());
    }

    private void follow(RetriedMethod method) {
        apply(() -> true, seen -> new Effect<>(seen, changedMethods.follow(method, seen.changes()), null, method));
        method.obeySwitch();
    }

    /** The changes that are in effect, the weakest first. */
    public List<RuntimeChange> changes() {
        return state.changes();
    }

    /**
     * The changes that are in effect, the weakest first. Whenever anything has changed, properties too, there is a new
     * object.
     */
    private record State(List<RuntimeChange> changes) {}

    /** A change that takes effect at one moment, with the source that it was prepared from. */
    private record Effect<T>(
            State state,
            MethodUpdates.@Nullable Update update,
            @Nullable RetrySettingsChanged event,
            T source) {}

    /**
     * Applies an effect. It is prepared again if anything else has changed meanwhile.
     *
     * @param isLatest whether the effect is still wanted; called while the lock is held
     * @return the source of the effect; {@code null} if the effect is no longer wanted
     */
    @SuppressWarnings("ReferenceEquality") // an equal state may be older
    private <T> @Nullable T apply(BooleanSupplier isLatest, Function<State, Effect<T>> prepare) {
        while (true) {
            State seen = state;
            Effect<T> effect = prepare.apply(seen);
            synchronized (monitor) {
                if (state == seen) {
                    if (!isLatest.getAsBoolean()) {
                        return null;
                    }
                    // The state last, so that a thread that sees it sees the properties that belong to it.
                    if (effect.update() != null) {
                        effect.update().putInForce();
                    }
                    state = effect.state();
                    announcement.add(effect.event());
                    return effect.source();
                }
            }
        }
    }

    /**
     * Applies changed properties to all methods at the same moment. Properties that can't change while the application
     * runs keep their values.
     *
     * @param properties reads the properties; may throw {@link RetryConfigurationException}
     * @param unchangeable the names of other changed properties that are read at start-up only; they are logged
     * @throws RetryConfigurationException if anything is wrong; nothing has changed then
     */
    public void takeOver(Supplier<ConfiguredLayers> properties, Set<String> unchangeable) {
        PropertyChanges changes =
                Objects.requireNonNull(apply(() -> true, seen -> takenOver(properties.get(), seen.changes())));
        followAll();
        announcement.takenOver(changes, unchangeable);
    }

    private Effect<PropertyChanges> takenOver(ConfiguredLayers properties, List<RuntimeChange> kept) {
        PropertyChanges changes = PropertyChanges.between(updates.configured(), properties, others);
        MethodUpdates.Update update = changedMethods.prepare(changes.configured(), kept);
        return new Effect<>(new State(kept), update, changes.event(), changes);
    }

    /** Sets the switches, and applies the current changes to methods that were found while these were prepared. */
    private void followAll() {
        methods.all().forEach(this::follow);
        switchOthers();
    }

    /**
     * Changes settings of this process. Earlier changes of other settings of the same target stay in effect.
     *
     * @param target what is changed; not shared
     * @param values texts by attribute, such as {@code maxAttempts}; {@code null} reverts a change
     * @param lasting the time after which the change ends, more than zero and at most {@link #LONGEST}; {@code null}
     *     for never
     * @return the change that is in effect now; {@code null} if nothing is left of it
     * @throws IllegalArgumentException if anything is wrong; nothing has changed then
     */
    public @Nullable RuntimeChange change(
            RuntimeChange.Target target,
            Map<String, @Nullable String> values,
            @Nullable Duration lasting,
            @Nullable String by) {
        checkRequest(target, values, lasting);
        RuntimeChange after = replace(target, before -> changed(target, before, values, lasting, by), by)
                .after();
        if (after != null) {
            endInTime(after);
        }
        return after;
    }

    private void checkRequest(
            RuntimeChange.Target target, Map<String, @Nullable String> values, @Nullable Duration lasting) {
        if (lasting != null && (lasting.isNegative() || lasting.isZero() || lasting.compareTo(LONGEST) > 0)) {
            throw new IllegalArgumentException("for is '" + DurationText.print(lasting)
                    + "', but must be more than zero and at most " + LONGEST.toDays() + "d");
        }
        rules.requireKnown(target, values.keySet());
    }

    private @Nullable RuntimeChange changed(
            RuntimeChange.Target target,
            @Nullable RuntimeChange before,
            Map<String, @Nullable String> values,
            @Nullable Duration lasting,
            @Nullable String by) {
        RetrySettings settings = ChangeRules.changed(before, values);
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        Instant until = lasting == null ? null : now.plus(lasting);
        return settings.isEmpty()
                ? null
                : new RuntimeChange(target.scope(), target.name(), settings, now, by, until, target.shared());
    }

    /**
     * Checks and returns a change for all nodes, for {@link #follow(RuntimeChange.Target, RuntimeChange, String,
     * BooleanSupplier)}. Changes nothing. The parameters are those of {@link #change}.
     *
     * @param before the change for all nodes that is replaced; {@code null} for none
     * @return {@code null} if nothing is left of the change
     */
    public @Nullable RuntimeChange draft(
            RuntimeChange.Target target,
            @Nullable RuntimeChange before,
            Map<String, @Nullable String> values,
            @Nullable Duration lasting,
            @Nullable String by) {
        checkRequest(target, values, lasting);
        RuntimeChange after = changed(target, before, values, lasting, by);
        check(target, after, by);
        return after;
    }

    /**
     * Checks whether a change for all nodes could be followed. Changes nothing.
     *
     * @throws IllegalArgumentException if it doesn't fit the other changes
     */
    public void check(RuntimeChange.Target target, @Nullable RuntimeChange after, @Nullable String by) {
        List<RuntimeChange> seen = changes();
        var unused = changedMethods.prepare(next(seen, new SettingsReplacement(target, find(seen, target), after, by)));
    }

    /**
     * Follows a change for all nodes, which was made here or elsewhere.
     *
     * @param shared the change; {@code null} if it was reverted or has expired
     * @param isLatest asked when the change would take effect, perhaps with a lock held: whether it still is to
     * @return the answer of {@code isLatest}
     * @throws IllegalArgumentException if it doesn't fit this process; nothing has changed then
     */
    public boolean follow(
            RuntimeChange.Target target,
            @Nullable RuntimeChange shared,
            @Nullable String by,
            BooleanSupplier isLatest) {
        if (shared != null) {
            rules.requireKnown(target, shared.settings().texts().keySet());
        }
        if (replaceIf(isLatest, target, before -> shared, by) == null) {
            return false;
        }
        if (shared != null) {
            endInTime(shared);
        }
        return true;
    }

    /** Reverts all changes for a target in this process. Returns {@code false} if there were none. */
    public boolean takeBack(RuntimeChange.Target target, @Nullable String by) {
        return replace(target, before -> null, by).before() != null;
    }

    private static @Nullable RuntimeChange find(List<RuntimeChange> all, RuntimeChange.Target target) {
        for (RuntimeChange change : all) {
            if (change.target().equals(target)) {
                return change;
            }
        }
        return null;
    }

    private SettingsReplacement replace(
            RuntimeChange.Target target,
            Function<@Nullable RuntimeChange, @Nullable RuntimeChange> replacement,
            @Nullable String by) {
        return Objects.requireNonNull(replaceIf(() -> true, target, replacement, by));
    }

    /** Replaces the change of a target. Returns {@code null} if nothing is to be replaced any more. */
    private @Nullable SettingsReplacement replaceIf(
            BooleanSupplier isLatest,
            RuntimeChange.Target target,
            Function<@Nullable RuntimeChange, @Nullable RuntimeChange> replacement,
            @Nullable String by) {
        SettingsReplacement changed = apply(isLatest, seen -> {
            RuntimeChange before = find(seen.changes(), target);
            return effect(seen, new SettingsReplacement(target, before, replacement.apply(before), by));
        });
        if (changed != null && changed.isDifferent()) {
            followAll();
            announcement.replaced(changed);
        }
        return changed;
    }

    private Effect<SettingsReplacement> effect(State seen, SettingsReplacement changed) {
        if (!changed.isDifferent()) {
            return new Effect<>(seen, null, null, changed);
        }
        State next = new State(next(seen.changes(), changed));
        return new Effect<>(next, changedMethods.prepare(next.changes()), changed.event(), changed);
    }

    private static List<RuntimeChange> next(List<RuntimeChange> seen, SettingsReplacement changed) {
        List<RuntimeChange> next = new ArrayList<>(seen);
        next.remove(changed.before());
        if (changed.after() != null) {
            next.add(changed.after());
        }
        next.sort(Comparator.comparing(RuntimeChange::scope)
                .thenComparing(RuntimeChange::since)
                .thenComparing(RuntimeChange::shared));
        return List.copyOf(next);
    }

    private static ScheduledThreadPoolExecutor timer() {
        CustomizableThreadFactory threads = new CustomizableThreadFactory("retryon-settings-");
        threads.setDaemon(true);
        ScheduledThreadPoolExecutor timer =
                new ScheduledThreadPoolExecutor(1, threads, new ThreadPoolExecutor.DiscardPolicy());
        timer.setKeepAliveTime(10, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        return timer;
    }

    /** The timer and the clock that dates changes can differ, so the remaining time is never negative. */
    private void endInTime(RuntimeChange change) {
        if (change.until() != null) {
            long left = Duration.between(clock.instant(), change.until()).toMillis();
            var unused = timer.schedule(() -> end(change), Math.max(0, left), TimeUnit.MILLISECONDS);
        }
    }

    /** Ends a change whose time is over, unless it was replaced. */
    private void end(RuntimeChange change) {
        try {
            replace(change.target(), now -> change.equals(now) ? null : now, null);
        } catch (Throwable ex) {
            StarterLog.warn("a change of settings has expired, but can't be reverted", ex);
        }
    }

    /** Ends the timer; changes end with the application. */
    @Override
    public void close() {
        timer.shutdownNow();
    }
}
