/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.control;

import dev.retryon.backoff.DurationText;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetrySettings;
import dev.retryon.spring.internal.policy.MethodUpdates;
import dev.retryon.spring.internal.policy.RetriedMethod;
import dev.retryon.spring.internal.policy.RetriedMethods;
import dev.retryon.spring.internal.report.StarterLog;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
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
 */
public final class RuntimeSettings implements AutoCloseable {

    /** After what time a change ends by itself at the latest. */
    public static final Duration LONGEST = Duration.ofDays(365);

    private final MethodUpdates updates;

    private final ChangedMethods changedMethods;

    private final RetriedMethods methods;

    private final StandaloneSwitches others;

    private final ChangeRules rules;

    private final Clock clock;

    private final SettingsAnnouncement announcement;

    private final CurrentChanges current;

    private final ScheduledThreadPoolExecutor timer = timer();

    /**
     * Changes nothing at first.
     *
     * @param updates gives methods other settings
     * @param methods the methods
     * @param clock the clock that dates changes
     * @param events takes an event for each change
     */
    public RuntimeSettings(
            MethodUpdates updates, RetriedMethods methods, Clock clock, ApplicationEventPublisher events) {
        this.updates = updates;
        this.changedMethods = new ChangedMethods(updates);
        this.methods = methods;
        this.others = new StandaloneSwitches(methods.standalone());
        this.rules = new ChangeRules(methods, others);
        this.clock = clock;
        this.announcement = new SettingsAnnouncement(events);
        this.current = new CurrentChanges(announcement);
        // A method of a bean that is made late follows the operators too.
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

    /** Applies the current changes to a method. */
    private void follow(RetriedMethod method) {
        current.apply(
                seen -> new CurrentChanges.Effect<>(seen, changedMethods.follow(method, seen.changes()), null, method));
        updates.obeySwitch(method);
    }

    /** The changes that hold, the weakest first. */
    public List<RuntimeChange> changes() {
        return current.state().changes();
    }

    /**
     * Applies changed properties. All methods change at the same moment, or none if there is a fault. What can't
     * change while the application runs does not change. Running calls keep their settings.
     *
     * @param properties reads the properties; may throw {@link RetryConfigurationException}
     * @param unchangeable the names of other properties that have changed and are read at start-up only; they are
     *     logged
     * @throws RetryConfigurationException if anything is wrong; nothing has changed then
     */
    public void takeOver(Supplier<ConfiguredLayers> properties, Set<String> unchangeable) {
        PropertyChanges changes = current.apply(seen -> takenOver(properties.get(), seen.changes()));
        methods.all().forEach(this::follow);
        switchOthers();
        announcement.takenOver(changes, unchangeable);
    }

    private CurrentChanges.Effect<PropertyChanges> takenOver(ConfiguredLayers properties, List<RuntimeChange> kept) {
        PropertyChanges changes = PropertyChanges.between(updates.configured(), properties, others);
        return new CurrentChanges.Effect<>(
                new CurrentChanges.State(kept),
                changedMethods.prepare(changes.configured(), kept),
                changes.event(),
                changes);
    }

    /**
     * Changes settings of this process. Earlier changes of other settings of the same target stay.
     *
     * @param target what is changed; not shared
     * @param values texts by attribute, such as {@code maxAttempts}; {@code null} takes a change back
     * @param lasting after what time the change ends by itself, more than zero and at most 365 days; {@code null} for
     *     never
     * @param by who does it, or {@code null}
     * @return what holds now; {@code null} if nothing is left of it
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
        checkKnown(target, values.keySet());
    }

    private void checkKnown(RuntimeChange.Target target, Set<String> attributes) {
        rules.requireKnown(
                target.scope(),
                target.name(),
                attributes,
                updates.configured().policies().keySet());
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
     * Checks what is to be changed for all nodes. Nothing changes by that.
     *
     * @param target what is changed; shared
     * @param before what all nodes share for the target by now; {@code null} for nothing
     * @param values texts by attribute; {@code null} takes a change back
     * @param lasting after what time the change ends by itself, more than zero and at most 365 days; {@code null} for
     *     never
     * @param by who does it, or {@code null}
     * @return what is to hold, for {@link #follow(RuntimeChange.Target, RuntimeChange, String, BooleanSupplier)};
     *     {@code null} if nothing is left of it
     * @throws IllegalArgumentException if anything is wrong
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
     * Checks whether something could be followed. Nothing changes by that.
     *
     * @param target what is changed; shared
     * @param after the new change for all nodes; {@code null} for none
     * @param by who does it, or {@code null}
     * @throws IllegalArgumentException if it doesn't fit what holds besides
     */
    public void check(RuntimeChange.Target target, @Nullable RuntimeChange after, @Nullable String by) {
        List<RuntimeChange> seen = changes();
        SettingsReplacement changed = new SettingsReplacement(find(seen, target), after, by);
        var unused = changedMethods.prepare(next(seen, changed));
    }

    /**
     * Follows what was changed for all nodes, here or elsewhere.
     *
     * @param target what is changed; shared
     * @param shared the change for all nodes; {@code null} if it was reverted or has expired
     * @param by who did it, or {@code null}
     * @param isLatest asked when the change would take effect, perhaps with a lock held: whether it still is to
     * @return what {@code isLatest} has answered
     * @throws IllegalArgumentException if it doesn't fit this process; nothing has changed then
     */
    public boolean follow(
            RuntimeChange.Target target,
            @Nullable RuntimeChange shared,
            @Nullable String by,
            BooleanSupplier isLatest) {
        if (shared != null) {
            checkKnown(target, shared.settings().texts().keySet());
        }
        if (replaceIf(isLatest, target, before -> shared, by) == null) {
            return false;
        }
        if (shared != null) {
            endInTime(shared);
        }
        return true;
    }

    /**
     * Reverts all changes for a target in this process.
     *
     * @param target what was changed
     * @param by who does it, or {@code null}
     * @return {@code false} if nothing was changed
     */
    public boolean takeBack(RuntimeChange.Target target, @Nullable String by) {
        return replace(target, before -> null, by).before() != null;
    }

    private static @Nullable RuntimeChange find(List<RuntimeChange> all, RuntimeChange.Target target) {
        for (RuntimeChange change : all) {
            if (change.isOf(target)) {
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
        SettingsReplacement changed = current.applyIf(isLatest, seen -> {
            RuntimeChange before = find(seen.changes(), target);
            return effect(seen, new SettingsReplacement(before, replacement.apply(before), by));
        });
        if (changed != null && changed.isDifferent()) {
            // Again, because of the switch, and of methods that were found in the meantime.
            methods.all().forEach(this::follow);
            switchOthers();
            announcement.replaced(changed);
        }
        return changed;
    }

    private CurrentChanges.Effect<SettingsReplacement> effect(CurrentChanges.State seen, SettingsReplacement changed) {
        if (!changed.isDifferent()) {
            return new CurrentChanges.Effect<>(seen, null, null, changed);
        }
        CurrentChanges.State next = new CurrentChanges.State(next(seen.changes(), changed));
        return new CurrentChanges.Effect<>(next, changedMethods.prepare(next.changes()), changed.event(), changed);
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

    /** The timer follows another clock than the one that dates changes. */
    private void endInTime(RuntimeChange change) {
        if (change.until() != null) {
            long left = Duration.between(clock.instant(), change.until()).toMillis();
            var unused = timer.schedule(() -> end(change), Math.max(0, left), TimeUnit.MILLISECONDS);
        }
    }

    /** Ends a change whose time is over, unless it was replaced. */
    private void end(RuntimeChange change) {
        try {
            RuntimeChange.Target target = new RuntimeChange.Target(change.scope(), change.name(), change.shared());
            replace(target, now -> change.equals(now) ? null : now, null);
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
