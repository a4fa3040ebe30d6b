/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.spring.settings.ConfiguredLayers;
import dev.retryon.spring.settings.RetrySettings;
import dev.retryon.spring.settings.Setting;
import dev.retryon.spring.settings.StarterLog;
import dev.retryon.spring.settings.Suggestion;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Changes settings of methods while the application runs. A change is checked as settings are at start-up; if anything is
 * wrong with it for any method, nothing changes. Calls under way go on with the settings that they began with, but switching
 * retries off ends their waits. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RuntimeSettings implements AutoCloseable {

    /** What is wired when the application starts. */
    private static final Set<String> FIXED = Set.of("durable", "listeners");

    private static final Duration LONGEST = Duration.ofDays(365);

    private final ChangedMethods changedMethods;

    private final RetriedMethods methods;

    private final OtherSwitches others;

    private final Set<String> policies;

    private final Clock clock;

    private final Consumer<Changed> observer;

    /** Held while a change takes effect. Nothing of the application runs then: it could wait for other locks. */
    private final Object monitor = new Object();

    private final ScheduledThreadPoolExecutor timer = timer();

    private volatile List<RuntimeChange> changes = List.of();

    /**
     * Changes nothing at first.
     *
     * @param resolver makes what runs the calls
     * @param methods the methods
     * @param configured the named policies
     * @param clock the clock that dates changes
     * @param observer receives each change
     */
    public RuntimeSettings(
            RetryMethodResolver resolver,
            RetriedMethods methods,
            ConfiguredLayers configured,
            Clock clock,
            Consumer<Changed> observer) {
        this.changedMethods = new ChangedMethods(resolver, methods);
        this.methods = methods;
        this.others = new OtherSwitches(methods);
        this.policies = configured.policies().keySet();
        this.clock = clock;
        this.observer = observer;
        // A method of a bean that is made late follows the operators too.
        methods.observe(this::follow);
        methods.observeOthers(this::switchOthers);
    }

    @SuppressWarnings("ReferenceEquality") // an equal list may be older
    private void switchOthers() {
        List<RuntimeChange> seen;
        do {
            seen = changes;
            others.obey(seen);
        } while (seen != changes);
    }

    /** Gives a method the changes that hold by now. */
    private void follow(RetriedMethod method) {
        List<RuntimeChange> seen;
        Runnable ready;
        do {
            seen = changes;
            ready = changedMethods.follow(method, seen);
        } while (!publish(seen, seen, List.of(ready)));
        method.obeySwitch();
    }

    private static String print(RuntimeChange change) {
        return change.settings().texts().entrySet().stream()
                .map(Map.Entry::toString)
                .collect(Collectors.joining(", "));
    }

    /** Puts changes in force, unless others were made since those that were seen. */
    @SuppressWarnings("ReferenceEquality") // an equal list may be older
    private boolean publish(List<RuntimeChange> seen, List<RuntimeChange> next, List<Runnable> ready) {
        synchronized (monitor) {
            if (changes != seen) {
                return false;
            }
            changes = next;
            ready.forEach(Runnable::run);
            return true;
        }
    }

    /**
     * What has been changed.
     *
     * @param before what held before for the same scope and name; {@code null} if nothing did
     * @param after what holds now; {@code null} if it was taken back
     * @param by who did it; {@code null} if that is not known, or if its time was over
     */
    public record Changed(
            @Nullable RuntimeChange before,
            @Nullable RuntimeChange after,
            @Nullable String by) {

        /**
         * Where it was changed.
         *
         * @return a path below {@code /actuator/retryon}; empty for everything
         */
        public String path() {
            RuntimeChange either = after != null ? after : before;
            return either == null ? "" : either.path();
        }

        @Override
        public String toString() {
            String what = path().isEmpty() ? "all methods" : path();
            String who = by == null ? "" : " by " + by;
            if (after == null) {
                return what + ": changes taken back" + who;
            }
            return what + ": changed" + who + " to " + print(after)
                    + (after.until() == null ? "" : " until " + after.until());
        }
    }

    /**
     * The changes that hold.
     *
     * @return the weakest first
     */
    public List<RuntimeChange> changes() {
        return changes;
    }

    /**
     * Changes settings. What was changed before for the same scope and name still holds, as far as it is not changed now.
     *
     * @param scope what kind of thing the name is
     * @param name the name; empty for {@link RuntimeChange.Scope#ALL}
     * @param values texts by attribute, such as {@code maxAttempts}; {@code null} takes a change back
     * @param lasting after what time the change ends by itself, more than zero and at most 365 days; {@code null} for never
     * @param by who does it, or {@code null}
     * @return what holds now; {@code null} if nothing is left of it
     * @throws IllegalArgumentException if anything is wrong; nothing has changed then
     */
    public @Nullable RuntimeChange change(
            RuntimeChange.Scope scope,
            String name,
            Map<String, @Nullable String> values,
            @Nullable Duration lasting,
            @Nullable String by) {
        if (lasting != null && (lasting.isNegative() || lasting.isZero() || lasting.compareTo(LONGEST) > 0)) {
            throw new IllegalArgumentException(
                    "for is '" + lasting + "', but must be more than zero and at most " + LONGEST.toDays() + "d");
        }
        requireKnown(scope, name, values.keySet());
        RuntimeChange after = replace(
                        scope,
                        name,
                        before -> {
                            RetrySettings settings = changed(before, values);
                            Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
                            return settings.isEmpty()
                                    ? null
                                    : new RuntimeChange(
                                            scope, name, settings, now, by, lasting == null ? null : now.plus(lasting));
                        },
                        by)
                .after();
        if (after != null && lasting != null) {
            endAfter(after, lasting);
        }
        return after;
    }

    /**
     * Takes back all that was changed for a scope and a name.
     *
     * @param scope what kind of thing the name is
     * @param name the name; empty for {@link RuntimeChange.Scope#ALL}
     * @param by who does it, or {@code null}
     * @return {@code false} if nothing was changed
     */
    public boolean takeBack(RuntimeChange.Scope scope, String name, @Nullable String by) {
        return replace(scope, name, before -> null, by).before() != null;
    }

    private static @Nullable RuntimeChange find(List<RuntimeChange> all, RuntimeChange.Scope scope, String name) {
        for (RuntimeChange change : all) {
            if (change.isOf(scope, name)) {
                return change;
            }
        }
        return null;
    }

    private static RetrySettings changed(@Nullable RuntimeChange before, Map<String, @Nullable String> values) {
        Map<String, Setting<?>> known = new TreeMap<>();
        Setting.all().stream()
                .filter(setting -> !setting.addsUp() && !FIXED.contains(setting.attribute()))
                .forEach(setting -> known.put(setting.attribute(), setting));
        List<String> wrong = new ArrayList<>();
        RetrySettings.Builder settings = RetrySettings.builder();
        values.forEach((attribute, text) -> {
            Setting<?> setting = known.get(attribute);
            if (setting == null) {
                wrong.add("'" + attribute + "' can't be changed while the application runs; what can is "
                        + new TreeSet<>(known.keySet()) + Suggestion.of(attribute, known.keySet()));
            } else if (text != null) {
                settings.read(setting, text, wrong::add);
            }
        });
        if (before != null) {
            before.settings().values().keySet().stream()
                    .filter(setting -> !values.containsKey(setting.attribute()))
                    .forEach(setting -> settings.copy(setting, before.settings()));
        }
        if (!wrong.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", wrong));
        }
        return settings.build();
    }

    /** Replaces what holds for a scope and a name; begins again if anything else was changed meanwhile. */
    private Changed replace(
            RuntimeChange.Scope scope,
            String name,
            Function<@Nullable RuntimeChange, @Nullable RuntimeChange> replacement,
            @Nullable String by) {
        List<RuntimeChange> seen;
        List<RuntimeChange> next;
        List<Runnable> ready;
        Changed changed;
        do {
            seen = changes;
            RuntimeChange before = find(seen, scope, name);
            changed = new Changed(before, replacement.apply(before), by);
            if (Objects.equals(changed.before(), changed.after())) {
                return changed;
            }
            next = next(seen, changed);
            ready = changedMethods.prepare(next);
        } while (!publish(seen, next, ready));
        // Once more, for the switch, and for methods that were found meanwhile.
        methods.all().forEach(this::follow);
        switchOthers();
        try {
            observer.accept(changed);
        } catch (Throwable ex) {
            StarterLog.warn("a change of settings was made, but an observer of it failed", ex);
        }
        return changed;
    }

    private static List<RuntimeChange> next(List<RuntimeChange> seen, Changed changed) {
        List<RuntimeChange> next = new ArrayList<>(seen);
        next.remove(changed.before());
        if (changed.after() != null) {
            next.add(changed.after());
        }
        next.sort(Comparator.comparing(RuntimeChange::scope).thenComparing(RuntimeChange::since));
        return List.copyOf(next);
    }

    private void requireKnown(RuntimeChange.Scope scope, String name, Set<String> attributes) {
        Collection<String> known = switch (scope) {
            case ALL -> Set.of("");
            case POLICY -> policies;
            case BUDGET -> names(method -> method.settings().get(Setting.BUDGET), others.budgets());
            case NAME -> names(RetriedMethod::name, others.names());
        };
        if (!known.contains(name)) {
            String what = switch (scope) {
                case POLICY -> "policy '" + name + "' under retryon.policies";
                case BUDGET -> "retried method with the budget '" + name + "'";
                default -> "retried method with the name '" + name + "'";
            };
            throw new IllegalArgumentException("there is no " + what + Suggestion.of(name, known));
        }
        if (scope == RuntimeChange.Scope.NAME
                && methods.named(name).isEmpty()
                && !attributes.equals(Set.of(Setting.RETRYABLE.attribute()))) {
            throw new IllegalArgumentException("of '" + name
                    + "', which is no bean's method, only retryable can be changed" + " while the application runs");
        }
    }

    private Set<String> names(Function<RetriedMethod, @Nullable String> of, Set<String> ofOthers) {
        Set<String> names = new TreeSet<>(ofOthers);
        for (RetriedMethod method : methods.all()) {
            String name = of.apply(method);
            if (name != null) {
                names.add(name);
            }
        }
        return names;
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

    @SuppressWarnings("FutureReturnValueIgnored") // what fails is logged
    private void endAfter(RuntimeChange change, Duration lasting) {
        timer.schedule(() -> end(change), lasting.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Ends a change whose time is over, unless it was replaced. */
    private void end(RuntimeChange change) {
        try {
            replace(change.scope(), change.name(), now -> change.equals(now) ? null : now, null);
        } catch (Throwable ex) {
            StarterLog.warn("the time of a change of settings is over, but it can't be taken back", ex);
        }
    }

    /** Ends the timer; changes end with the application. */
    @Override
    public void close() {
        timer.shutdownNow();
    }
}
