/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.Retry;
import dev.retryon.spring.settings.ConfiguredLayers;
import dev.retryon.spring.settings.RetryFault;
import dev.retryon.spring.settings.RetryLayer;
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
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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

    private final RetryMethodResolver resolver;

    private final RetriedMethods methods;

    private final Set<String> policies;

    private final Clock clock;

    private final Consumer<Changed> observer;

    /** Also held while methods are given their new settings, so that one change comes after the other. */
    private final Object monitor = new Object();

    private List<RuntimeChange> changes = List.of();

    private @Nullable ScheduledThreadPoolExecutor timer;

    /**
     * Changes nothing at first.
     *
     * @param resolver makes what runs the calls
     * @param methods the methods
     * @param configured the named policies
     * @param clock tells when changes were made
     * @param observer is told of each change
     */
    public RuntimeSettings(
            RetryMethodResolver resolver,
            RetriedMethods methods,
            ConfiguredLayers configured,
            Clock clock,
            Consumer<Changed> observer) {
        this.resolver = resolver;
        this.methods = methods;
        this.policies = configured.policies().keySet();
        this.clock = clock;
        this.observer = observer;
        // A method of a bean that is made late follows the operators too.
        methods.observe(this::follow);
    }

    private void follow(RetriedMethod method) {
        synchronized (monitor) {
            prepare(method, changes).run();
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
            return what + ": changed" + who + " to " + print(after.settings())
                    + (after.until() == null ? "" : " until " + after.until());
        }
    }

    /**
     * The changes that hold.
     *
     * @return the weakest first
     */
    public List<RuntimeChange> changes() {
        synchronized (monitor) {
            return changes;
        }
    }

    /**
     * Changes settings. What was changed before for the same scope and name still holds, as far as it is not changed now.
     *
     * @param scope what kind of thing the name is
     * @param name the name; empty for {@link RuntimeChange.Scope#ALL}
     * @param values texts by attribute, such as {@code maxAttempts}; {@code null} takes a change back
     * @param lasting after what time the change ends by itself, more than zero; {@code null} for never
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
        if (lasting != null && (lasting.isNegative() || lasting.isZero())) {
            throw new IllegalArgumentException("for is '" + lasting + "', but must be more than zero");
        }
        synchronized (monitor) {
            requireKnown(scope, name);
            RuntimeChange before = find(scope, name);
            RetrySettings settings = changed(before, values);
            Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
            RuntimeChange after = settings.isEmpty()
                    ? null
                    : new RuntimeChange(scope, name, settings, now, by, lasting == null ? null : now.plus(lasting));
            replace(before, after, by);
            if (after != null && lasting != null) {
                endAfter(after, lasting);
            }
            return after;
        }
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
        synchronized (monitor) {
            RuntimeChange before = find(scope, name);
            if (before == null) {
                return false;
            }
            replace(before, null, by);
            return true;
        }
    }

    private @Nullable RuntimeChange find(RuntimeChange.Scope scope, String name) {
        for (RuntimeChange change : changes) {
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
            for (Setting<?> setting : before.settings().values().keySet()) {
                if (!values.containsKey(setting.attribute())) {
                    keep(settings, setting, before.settings());
                }
            }
        }
        if (!wrong.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", wrong));
        }
        return settings.build();
    }

    private static <T> void keep(RetrySettings.Builder settings, Setting<T> setting, RetrySettings before) {
        T value = before.get(setting);
        if (value != null) {
            settings.set(setting, value);
        }
    }

    private void replace(@Nullable RuntimeChange before, @Nullable RuntimeChange after, @Nullable String by) {
        List<RuntimeChange> next = new ArrayList<>(changes);
        next.remove(before);
        if (after != null) {
            next.add(after);
        }
        next.sort(Comparator.comparing(RuntimeChange::scope).thenComparing(RuntimeChange::since));
        List<Runnable> ready = new ArrayList<>();
        List<RetryFault> wrong =
                resolver.faultsDuring(() -> methods.all().forEach(method -> ready.add(prepare(method, next))));
        if (!wrong.isEmpty()) {
            throw new IllegalArgumentException(
                    wrong.stream().map(RetryFault::toString).collect(Collectors.joining("; ")));
        }
        changes = List.copyOf(next);
        ready.forEach(Runnable::run);
        try {
            observer.accept(new Changed(before, after, by));
        } catch (Throwable ex) {
            StarterLog.warn("a change of settings was made, but not everybody could be told", ex);
        }
    }

    /** Prepares a method for the changes that concern it; records what is wrong. */
    private Runnable prepare(RetriedMethod method, List<RuntimeChange> all) {
        List<RetryLayer> layers = new ArrayList<>(method.layers());
        for (RuntimeChange change : all) {
            if (change.concerns(method.name(), method.layers())) {
                layers.add(change.layer());
            }
        }
        if (method.has(layers)) {
            return () -> {};
        }
        Retry retry = resolver.retry(method, layers);
        return () -> method.become(layers, retry);
    }

    private void requireKnown(RuntimeChange.Scope scope, String name) {
        Collection<String> known = switch (scope) {
            case ALL -> Set.of("");
            case POLICY -> policies;
            case BUDGET -> names(method -> method.settings().get(Setting.BUDGET));
            case NAME -> names(RetriedMethod::name);
        };
        if (!known.contains(name)) {
            String what = switch (scope) {
                case POLICY -> "policy '" + name + "' under retryon.policies";
                case BUDGET -> "retried method with the budget '" + name + "'";
                default -> "retried method with the name '" + name + "'";
            };
            throw new IllegalArgumentException("there is no " + what + Suggestion.of(name, known));
        }
    }

    private Set<String> names(Function<RetriedMethod, @Nullable String> of) {
        Set<String> names = new TreeSet<>();
        for (RetriedMethod method : methods.all()) {
            String name = of.apply(method);
            if (name != null) {
                names.add(name);
            }
        }
        return names;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what fails is logged
    private void endAfter(RuntimeChange change, Duration lasting) {
        if (timer == null) {
            timer = new ScheduledThreadPoolExecutor(1, task -> {
                Thread thread = new Thread(task, "retryon-settings");
                thread.setDaemon(true);
                return thread;
            });
            timer.setKeepAliveTime(10, TimeUnit.SECONDS);
            timer.allowCoreThreadTimeOut(true);
        }
        timer.schedule(() -> end(change), lasting.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Ends a change whose time is over, unless it was replaced. */
    private void end(RuntimeChange change) {
        try {
            synchronized (monitor) {
                if (changes.contains(change)) {
                    replace(change, null, null);
                }
            }
        } catch (Throwable ex) {
            StarterLog.warn("the time of a change of settings is over, but it can't be taken back", ex);
        }
    }

    private static String print(RetrySettings settings) {
        return settings.values().entrySet().stream()
                .map(entry -> entry.getKey() + "=" + RetrySettings.print(entry.getValue()))
                .collect(Collectors.joining(", "));
    }

    /** Ends the timer; changes end with the application. */
    @Override
    public void close() {
        synchronized (monitor) {
            if (timer != null) {
                timer.shutdownNow();
            }
        }
    }
}
