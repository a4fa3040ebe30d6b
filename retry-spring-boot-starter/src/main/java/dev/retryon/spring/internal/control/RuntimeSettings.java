// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.control;

import dev.retryon.backoff.DurationText;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetrySettingsChanged;
import dev.retryon.spring.internal.policy.MethodRetry;
import dev.retryon.spring.internal.policy.NamedRetries;
import dev.retryon.spring.internal.policy.NamedRetry;
import dev.retryon.spring.internal.policy.RetryMethodResolver;
import dev.retryon.spring.internal.policy.StandaloneRetry;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.module.ChangesForAllNodes;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.RuntimeChange;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingGroup;
import dev.retryon.spring.module.SettingSource;
import dev.retryon.spring.module.StarterLog;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Changes settings while the application runs. A change is checked like settings at start-up. If a change is wrong for any
 * retry, nothing changes. Running calls keep their settings, but switching retries off ends their waits. Thread-safe.
 *
 * <p>A change is prepared without a lock, because the preparation can look up beans, and a thread that creates a bean holds
 * Spring's lock and waits here.
 */
public final class RuntimeSettings implements ChangesForAllNodes.Node, AutoCloseable {

    private static final Pattern CHANGEABLE = Pattern.compile("retryon\\.(defaults|policies|methods|budgets)\\b.*");

    private final RetryMethodResolver resolver;

    private final NamedRetries retries;

    /** Changes that contradict retries found later. */
    private final Map<NamedRetry, Set<RuntimeChange>> misfits = Collections.synchronizedMap(new WeakHashMap<>());

    private final Clock clock;

    private final SettingsAnnouncement announcement;

    /** Locked while a change takes effect. Application code, which could wait for other locks, never runs under this lock. */
    private final Object monitor = new Object();

    /** The changes in effect, the weakest first. Each change, including a change of properties, creates a new list. */
    private volatile List<RuntimeChange> changes = List.of();

    private final ScheduledThreadPoolExecutor timer = timer();

    public RuntimeSettings(
            RetryMethodResolver resolver, NamedRetries retries, Clock clock, ApplicationEventPublisher events) {
        this.resolver = resolver;
        this.retries = retries;
        this.clock = clock;
        this.announcement = new SettingsAnnouncement(events);
        // Changes also apply to beans and clients that are created later.
        retries.observe(this::follow);
    }

    /** Applies the current changes to a retry. Changes that do not fit the retry are omitted, with a warning. */
    private void follow(NamedRetry retry) {
        apply(() -> true, seen -> {
            RetryMethodResolver.Update update = prepare(List.of(retry), seen);
            if (!update.faults().isEmpty()) {
                leaveOut(retry, seen);
                update = prepare(List.of(retry), seen);
            }
            return new Effect(seen, update, null, null);
        });
        retry.obeySwitch();
    }

    private void leaveOut(NamedRetry retry, List<RuntimeChange> changes) {
        Set<RuntimeChange> unfit = misfits.computeIfAbsent(retry, missing -> ConcurrentHashMap.newKeySet());
        unfit.retainAll(changes);
        for (int i = 0; i < changes.size(); i++) {
            List<RetryFault> wrong =
                    prepare(List.of(retry), changes.subList(0, i + 1)).faults();
            if (!wrong.isEmpty() && unfit.add(changes.get(i))) {
                StarterLog.warn("a change by an operator does not apply to " + retry.name() + ": " + print(wrong));
            }
        }
    }

    private RetryMethodResolver.Update prepare(List<NamedRetry> some, List<RuntimeChange> changes) {
        return resolver.prepare(some, (retry, own) -> layers(retry, own, changes));
    }

    /** Prepares the changes for all retries. Throws IllegalArgumentException if a change is wrong for any retry. */
    private RetryMethodResolver.Update prepareAll(List<RuntimeChange> changes) {
        RetryMethodResolver.Update update = prepare(retries.all(), changes);
        if (!update.faults().isEmpty()) {
            throw new IllegalArgumentException(print(update.faults()));
        }
        return update;
    }

    private List<RetrySettings> layers(NamedRetry retry, List<RetrySettings> own, List<RuntimeChange> changes) {
        Set<RuntimeChange> unfit = misfits.getOrDefault(retry, Set.of());
        return changes.stream()
                .filter(change -> concerns(change, retry, own) && !unfit.contains(change))
                .map(change -> layer(change, retry))
                .toList();
    }

    private static RetrySettings layer(RuntimeChange change, NamedRetry retry) {
        RetrySettings layer = change.layer();
        // As in retryon.defaults, some general settings apply only to methods.
        return change.target().scope() == RuntimeChange.Scope.ALL && retry instanceof StandaloneRetry standalone
                ? standalone.withoutMisfits(layer)
                : layer;
    }

    /** Returns whether a change applies to a retry with the given layers, which exclude the operators' layers. */
    private static boolean concerns(RuntimeChange change, NamedRetry retry, List<RetrySettings> layers) {
        String name = change.target().name();
        return switch (change.target().scope()) {
            case ALL -> true;
            case POLICY -> layers.stream().anyMatch(layer -> layer.source().equals(SettingSource.policy(name)));
            case BUDGET -> name.equals(EffectiveSettings.defaults().with(layers).get(Setting.BUDGET));
            case SELECTED -> isSelected(name, EffectiveSettings.defaults().with(layers));
            case NAME -> name.equals(retry.name());
        };
    }

    private static boolean isSelected(String path, EffectiveSettings settings) {
        return SettingGroup.all().stream()
                .filter(group -> group.selector() != null && path.startsWith(group.selector() + '/'))
                .anyMatch(group -> group.selects(path.substring(path.indexOf('/') + 1), settings));
    }

    private static String print(List<RetryFault> faults) {
        return faults.stream().map(RetryFault::toString).collect(Collectors.joining("; "));
    }

    public List<RuntimeChange> changes() {
        return changes;
    }

    /**
     * Prepared changes that take effect together.
     *
     * @param changes all changes in effect from then on
     * @param update the prepared settings; {@code null} if no setting changes
     * @param after the new change of the target; {@code null} if the target has none, or if the effect has no target
     * @param event describes the effect; {@code null} if it is not announced
     */
    private record Effect(
            List<RuntimeChange> changes,
            RetryMethodResolver.@Nullable Update update,
            @Nullable RuntimeChange after,
            @Nullable RetrySettingsChanged event) {}

    /**
     * Applies an effect, which is prepared again if anything else has changed meanwhile. Returns {@code null} if the
     * effect is no longer wanted.
     *
     * @param isLatest whether the effect is still wanted; called while the lock is held
     */
    @SuppressWarnings("ReferenceEquality") // an equal list can be older
    private @Nullable Effect apply(BooleanSupplier isLatest, Function<List<RuntimeChange>, Effect> prepare) {
        while (true) {
            List<RuntimeChange> seen = changes;
            Effect effect = prepare.apply(seen);
            synchronized (monitor) {
                if (changes == seen) {
                    if (!isLatest.getAsBoolean()) {
                        return null;
                    }
                    // The changes are set last, so a thread that sees them also sees the corresponding properties.
                    if (effect.update() != null) {
                        effect.update().putInForce();
                    }
                    changes = effect.changes();
                    announcement.add(effect.event());
                    return effect;
                }
            }
        }
    }

    /**
     * Applies changed properties to all retries at the same moment. Properties that are fixed at run time keep their values.
     *
     * @param changed the names of the properties below {@code retryon} that have changed; they are logged
     * @throws RetryConfigurationException if a property is wrong; in that case, nothing has changed
     */
    public void takeOver(Supplier<ConfiguredLayers> properties, Set<String> changed) {
        List<String> applied =
                changed.stream().filter(RuntimeSettings::isChangeable).toList();
        Effect effect = Objects.requireNonNull(apply(() -> true, seen -> takenOver(properties.get(), applied, seen)));
        followAll();
        Set<String> kept = new TreeSet<>(changed);
        applied.forEach(kept::remove);
        if (!kept.isEmpty()) {
            String names = String.join(", ", kept);
            StarterLog.warn(
                    kept.size() == 1
                            ? "property " + names + " has changed; restart the application to apply it"
                            : "properties " + names + " have changed; restart the application to apply them");
        }
        if (effect.event() != null) {
            announcement.announce(effect.event().description());
        }
    }

    /** Returns whether the property with the given full name can change at run time. A name in camel case has no dashes. */
    private static boolean isChangeable(String property) {
        String name = withoutDashes(property);
        return CHANGEABLE.matcher(property).matches()
                && Setting.fixed().stream()
                        .noneMatch(
                                setting -> name.matches(".*\\." + withoutDashes(setting.property()) + "(\\[\\d+])?"));
    }

    private static String withoutDashes(String name) {
        return name.replace("-", "");
    }

    private Effect takenOver(ConfiguredLayers properties, List<String> names, List<RuntimeChange> kept) {
        ConfiguredLayers now = resolver.configured();
        ConfiguredLayers next = properties.keeping(Setting.fixed(), now);
        RetryMethodResolver.Update update = resolver.prepare(next, (retry, own) -> layers(retry, own, kept));
        if (!update.faults().isEmpty()) {
            throw new RetryConfigurationException(update.faults());
        }
        // Without names, only values of placeholders have changed.
        RetrySettingsChanged event = next.isLike(now, Setting.fixed())
                ? null
                : new RetrySettingsChanged(
                        "",
                        null,
                        "properties applied"
                                + (names.isEmpty() ? " with other placeholders" : ": " + String.join(", ", names)));
        return new Effect(Collections.unmodifiableList(new ArrayList<>(kept)), update, null, event);
    }

    /** Sets the switches, and applies the current changes to retries that were found during their preparation. */
    private void followAll() {
        retries.all().forEach(this::follow);
    }

    /**
     * Changes settings of this process. Earlier changes to other settings of the same target remain in effect.
     *
     * @param target the target of the change, which is not shared
     * @param values texts by attribute, such as {@code maxAttempts}; {@code null} reverts a change
     * @param lasting the time after which the change ends, more than zero and at most {@link RuntimeChange#LONGEST};
     *     {@code null} if it never ends
     * @return the change that is in effect now; {@code null} if none of it is left
     * @throws IllegalArgumentException if a value is wrong; in that case, nothing has changed
     */
    public @Nullable RuntimeChange change(
            RuntimeChange.Target target,
            Map<String, @Nullable String> values,
            @Nullable Duration lasting,
            @Nullable String by) {
        checkRequest(target, values, lasting);
        return replace(target, before -> changed(target, before, values, lasting, by), by)
                .after();
    }

    private void checkRequest(
            RuntimeChange.Target target, Map<String, @Nullable String> values, @Nullable Duration lasting) {
        if (lasting != null
                && (lasting.isNegative() || lasting.isZero() || lasting.compareTo(RuntimeChange.LONGEST) > 0)) {
            throw new IllegalArgumentException("for is '" + DurationText.print(lasting)
                    + "', but must be more than zero and at most " + RuntimeChange.LONGEST.toDays() + "d");
        }
        requireKnown(target, values.keySet());
    }

    /** Throws IllegalArgumentException if the target does not exist, or if these settings of the target cannot be changed. */
    private void requireKnown(RuntimeChange.Target target, Set<String> attributes) {
        String name = target.name();
        String problem = switch (target.scope()) {
            case ALL -> null;
            case POLICY ->
                resolver.configured().policies().containsKey(name)
                        ? null
                        : "no policy is named '" + name + "' in retryon.policies";
            case BUDGET ->
                any(retry -> name.equals(retry.settings().get(Setting.BUDGET)))
                        ? null
                        : "no retry uses the budget '" + name + "'";
            case SELECTED ->
                any(retry -> isSelected(name, retry.settings()))
                        ? null
                        : "no method stores its calls in '" + name + "'";
            case NAME -> any(retry -> name.equals(retry.name())) ? null : "no retry is named '" + name + "'";
        };
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        if (target.scope() == RuntimeChange.Scope.NAME
                && retries.methods(name).stream().noneMatch(MethodRetry::isHandedOver)) {
            for (Setting<?> setting : Setting.ofOperators()) {
                if (setting.isOnlyForOperators() && attributes.contains(setting.attribute())) {
                    throw new IllegalArgumentException("'" + name + "' cannot be " + setting.attribute()
                            + ", because its calls are not stored; to end its retries, set retryable to false");
                }
            }
        }
    }

    private boolean any(Predicate<NamedRetry> retry) {
        return retries.all().stream().anyMatch(retry);
    }

    private @Nullable RuntimeChange changed(
            RuntimeChange.Target target,
            @Nullable RuntimeChange before,
            Map<String, @Nullable String> values,
            @Nullable Duration lasting,
            @Nullable String by) {
        RetrySettings settings = RuntimeChange.read(before, values);
        Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        // A request that only reverts settings does not change the duration of the others.
        Instant rest = before != null && values.values().stream().allMatch(Objects::isNull) ? before.until() : null;
        Instant until = lasting == null ? rest : now.plus(lasting);
        return settings.isEmpty() ? null : new RuntimeChange(target, settings, now, by, until);
    }

    @Override
    public @Nullable RuntimeChange draft(
            RuntimeChange.Target target,
            @Nullable RuntimeChange before,
            Map<String, @Nullable String> values,
            @Nullable Duration lasting,
            @Nullable String by) {
        checkRequest(target, values, lasting);
        RuntimeChange after = changed(target, before, values, lasting, by);
        check(target, after);
        return after;
    }

    @Override
    public void check(RuntimeChange.Target target, @Nullable RuntimeChange after) {
        List<RuntimeChange> seen = changes();
        var unused = prepareAll(next(seen, find(seen, target), after));
    }

    @Override
    public boolean follow(
            RuntimeChange.Target target,
            @Nullable RuntimeChange shared,
            @Nullable String by,
            BooleanSupplier isLatest) {
        if (shared != null) {
            requireKnown(target, shared.settings().texts().keySet());
        }
        return replaceIf(isLatest, target, before -> shared, by) != null;
    }

    /** Reverts all changes for a target in this process. Returns {@code false} if no change was in effect. */
    public boolean takeBack(RuntimeChange.Target target, @Nullable String by) {
        return replace(target, before -> null, by).event() != null;
    }

    private static @Nullable RuntimeChange find(List<RuntimeChange> all, RuntimeChange.Target target) {
        return all.stream()
                .filter(change -> change.target().equals(target))
                .findFirst()
                .orElse(null);
    }

    private Effect replace(
            RuntimeChange.Target target,
            Function<@Nullable RuntimeChange, @Nullable RuntimeChange> replacement,
            @Nullable String by) {
        return Objects.requireNonNull(replaceIf(() -> true, target, replacement, by));
    }

    /** Replaces the change of a target. Returns {@code null} if no replacement is needed any more. */
    private @Nullable Effect replaceIf(
            BooleanSupplier isLatest,
            RuntimeChange.Target target,
            Function<@Nullable RuntimeChange, @Nullable RuntimeChange> replacement,
            @Nullable String by) {
        Effect effect = apply(isLatest, seen -> {
            RuntimeChange before = find(seen, target);
            RuntimeChange after = replacement.apply(before);
            if (Objects.equals(before, after)) {
                return new Effect(seen, null, after, null);
            }
            List<RuntimeChange> next = next(seen, before, after);
            return new Effect(next, prepareAll(next), after, event(target, after, by));
        });
        if (effect != null && effect.event() != null) {
            followAll();
            announcement.announce("settings of " + effect.event().description());
            if (effect.after() != null) {
                endInTime(effect.after());
            }
        }
        return effect;
    }

    private static RetrySettingsChanged event(
            RuntimeChange.Target target, @Nullable RuntimeChange after, @Nullable String by) {
        String what = target.path().isEmpty() ? "all retries" : target.path();
        String who = (target.shared() ? " for all nodes" : "") + (by == null ? "" : " by " + by);
        if (after == null) {
            return new RetrySettingsChanged(target.path(), by, what + ": changes reverted" + who);
        }
        String settings = after.settings().texts().entrySet().stream()
                .map(Map.Entry::toString)
                .collect(Collectors.joining(", "));
        String until = after.until() == null ? "" : " until " + after.until();
        return new RetrySettingsChanged(target.path(), by, what + ": changed" + who + " to " + settings + until);
    }

    private static List<RuntimeChange> next(
            List<RuntimeChange> seen, @Nullable RuntimeChange before, @Nullable RuntimeChange after) {
        List<RuntimeChange> next = new ArrayList<>(seen);
        next.remove(before);
        if (after != null) {
            next.add(after);
        }
        next.sort(Comparator.comparing((RuntimeChange change) -> change.target().scope())
                .thenComparing(RuntimeChange::since)
                .thenComparing(change -> change.target().shared()));
        return Collections.unmodifiableList(next);
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

    /** Schedules the end of a change. A negative time counts as zero, because the timer and the clock of changes can differ. */
    private void endInTime(RuntimeChange change) {
        if (change.until() != null) {
            long left = Duration.between(clock.instant(), change.until()).toMillis();
            var unused = timer.schedule(() -> end(change), Math.max(0, left), TimeUnit.MILLISECONDS);
        }
    }

    /** Ends a change whose time is over, unless the change was replaced. */
    private void end(RuntimeChange change) {
        try {
            replace(change.target(), now -> change.equals(now) ? null : now, null);
        } catch (Throwable ex) {
            StarterLog.warn("a change of settings has expired, but cannot be reverted", ex);
        }
    }

    /** Ends the timer, because changes end with the application. */
    @Override
    public void close() {
        timer.shutdownNow();
    }
}
