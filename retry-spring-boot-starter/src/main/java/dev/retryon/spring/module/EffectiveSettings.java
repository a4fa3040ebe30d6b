// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import dev.retryon.RetryPolicy;
import dev.retryon.RetryPolicyBuilder;
import dev.retryon.spring.Place;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.internal.settings.ErrorKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** The settings of a method after all layers are merged, with the source of each value. Immutable. */
public final class EffectiveSettings {

    private static final List<SettingSource> DEFAULT_ALONE = List.of(SettingSource.BUILT_IN);

    private static final EffectiveSettings NONE = new EffectiveSettings(Map.of(), Map.of());

    private static final EffectiveSettings DEFAULTS = new EffectiveSettings(builtIn(), Map.of());

    /** The class names of the exceptions that open circuit breakers throw. */
    public static final List<String> OPEN_BREAKERS = List.of(
            "io.github.resilience4j.circuitbreaker.CallNotPermittedException",
            "dev.failsafe.CircuitBreakerOpenException");

    private static final Set<Class<? extends Throwable>> OPEN_BREAKER_TYPES = present(OPEN_BREAKERS);

    private final Map<Setting<?>, Value<?>> values;

    private final Map<ErrorKey, EffectiveSettings> rules;

    private EffectiveSettings(Map<Setting<?>, Value<?>> values, Map<ErrorKey, EffectiveSettings> rules) {
        this.values = values;
        this.rules = rules;
    }

    /** Returns the exception classes with the given names whose libraries are on the class path. */
    public static Set<Class<? extends Throwable>> present(List<String> names) {
        Set<Class<? extends Throwable>> types = new LinkedHashSet<>();
        for (String name : names) {
            if (ClassUtils.isPresent(name, null)) {
                types.add(ClassUtils.resolveClassName(name, null).asSubclass(Throwable.class));
            }
        }
        return types;
    }

    private static Map<Setting<?>, Value<?>> builtIn() {
        Map<Setting<?>, Value<?>> values = new TreeMap<>();
        for (Setting<?> setting : Setting.all()) {
            Object value = setting.defaultValue();
            if (value != null) {
                values.put(setting, new Value<>(value, DEFAULT_ALONE));
            }
        }
        return values;
    }

    public static EffectiveSettings defaults() {
        return DEFAULTS;
    }

    /**
     * Returns the settings of a policy that was built in code. Gates and other parts that exist only as code are not
     * included.
     */
    public static EffectiveSettings of(RetryPolicy policy) {
        return NONE.with(RetrySettings.of(policy));
    }

    /** Merges layers into these settings, the strongest last. */
    public EffectiveSettings with(Collection<RetrySettings> layers) {
        EffectiveSettings merged = this;
        for (RetrySettings layer : layers) {
            merged = merged.with(layer);
        }
        return merged;
    }

    /** Merges a stronger layer into these settings. Individual values are replaced, and lists add up. */
    public EffectiveSettings with(RetrySettings layer) {
        if (layer.isEmpty()) {
            return this;
        }
        Map<Setting<?>, Value<?>> merged = new TreeMap<>(values);
        layer.values().keySet().forEach(setting -> merge(setting, layer, merged));
        return new EffectiveSettings(merged, rules(layer));
    }

    /** Returns the overrides of a call that is nested in another call with overrides. */
    public static RetrySettings ofNestedCalls(RetrySettings outer, RetrySettings inner) {
        return NONE.with(outer.from(SettingSource.CALL))
                .with(inner.from(SettingSource.CALL))
                .toSettings();
    }

    private RetrySettings toSettings() {
        RetrySettings.Builder settings = RetrySettings.builder();
        values.keySet().stream()
                .filter(setting -> !setting.equals(Setting.ERRORS))
                .forEach(setting -> copy(setting, settings));
        Map<ErrorKey, RetrySettings> left = new LinkedHashMap<>();
        rules.forEach((error, rule) -> left.put(error, rule.toSettings()));
        return settings.accept(Setting.ERRORS, left, fault -> {}).build();
    }

    private <T> void copy(Setting<T> setting, RetrySettings.Builder into) {
        into.set(setting, require(setting));
    }

    /** Adds the rules of a layer. A value that an operator or a call sets for all errors is removed from the rules. */
    private Map<ErrorKey, EffectiveSettings> rules(RetrySettings layer) {
        Map<ErrorKey, EffectiveSettings> merged = new LinkedHashMap<>(rules);
        SettingSource source = layer.source();
        if (source.isOperator() || source.kind() == SettingSource.Kind.CALL) {
            // The rules of a policy that was built in code are part of that policy.
            merged.replaceAll((error, rule) -> rule.isOfCode() ? rule : rule.overriddenBy(layer));
        }
        Map<ErrorKey, RetrySettings> stronger = layer.get(Setting.ERRORS);
        if (stronger == null) {
            return merged;
        }
        stronger.forEach((error, rule) -> {
            RetrySettings own = rule.from(source.ofRule(error));
            merged.put(error, merged.getOrDefault(error, NONE).with(own));
        });
        return merged;
    }

    private <T> void merge(Setting<T> setting, RetrySettings layer, Map<Setting<?>, Value<?>> merged) {
        T stronger = Objects.requireNonNull(layer.get(setting));
        Value<T> weaker = value(setting);
        if (weaker == null || !setting.addsUp()) {
            merged.put(setting, new Value<>(stronger, List.of(layer.source())));
            return;
        }
        List<SettingSource> sources = new ArrayList<>(weaker.sources());
        if (!sources.contains(layer.source())) {
            sources.add(layer.source());
        }
        merged.put(setting, new Value<>(setting.merge(weaker.value(), stronger), List.copyOf(sources)));
    }

    /** Removes the settings of a rule that a layer sets for all errors, and keeps delay and maximum delay consistent. */
    private EffectiveSettings overriddenBy(RetrySettings layer) {
        EffectiveSettings left = without(layer.values().keySet().toArray(new Setting<?>[0]));
        Duration delay = layer.get(Setting.DELAY);
        Duration cap = layer.get(Setting.MAX_DELAY);
        Duration ownDelay = left.get(Setting.DELAY);
        Duration ownCap = left.get(Setting.MAX_DELAY);
        if (cap != null && ownDelay != null && ownDelay.compareTo(cap) > 0) {
            RetrySettings cut = RetrySettings.builder().set(Setting.DELAY, cap).build();
            left = left.with(cut.from(layer.source()));
        }
        return delay != null && ownCap != null && ownCap.compareTo(delay) < 0 ? left.without(Setting.MAX_DELAY) : left;
    }

    private boolean isOfCode() {
        return values.values().stream().allMatch(value -> value.sources().contains(SettingSource.CODE));
    }

    /** Returns a copy without some settings that have no built-in default. */
    private EffectiveSettings without(Setting<?>... settings) {
        Map<Setting<?>, Value<?>> others = new TreeMap<>(values);
        others.keySet().removeAll(List.of(settings));
        return new EffectiveSettings(others, rules);
    }

    /** Returns the values in the order of {@link Setting#all()}. Settings without a value are not included. */
    public Map<Setting<?>, Value<?>> values() {
        return Collections.unmodifiableMap(values);
    }

    /**
     * Returns a new map of the values by {@link Setting#attribute()}. The settings of rules come last, with keys such
     * as {@code errors[com.acme.ThrottledException].delay}.
     */
    public Map<String, Value<?>> byAttribute() {
        Map<String, Value<?>> byAttribute = new LinkedHashMap<>();
        values.forEach((setting, value) -> byAttribute.put(setting.attribute(), value));
        byAttribute.remove(Setting.ERRORS.attribute());
        rules.forEach((error, rule) -> rule.values.forEach(
                (setting, value) -> byAttribute.put(ErrorKey.ruleName(error) + "." + setting.attribute(), value)));
        return byAttribute;
    }

    /** Returns the rules for individual errors. Each rule contains only the settings that a layer sets for it. */
    public Map<ErrorKey, EffectiveSettings> rules() {
        return Collections.unmodifiableMap(rules);
    }

    /** Returns the exception types that are listed or have a rule, as a new set. */
    public Set<Class<? extends Throwable>> listedTypes() {
        return ErrorKey.types(get(Setting.EXCEPTIONS), rules.keySet());
    }

    @SuppressWarnings("unchecked") // values are put with the setting they belong to
    public <T> @Nullable Value<T> value(Setting<T> setting) {
        return (Value<T>) values.get(setting);
    }

    public <T> @Nullable T get(Setting<T> setting) {
        Value<T> value = value(setting);
        return value == null ? null : value.value();
    }

    /** Returns the value of a setting that has a default. */
    public <T> T require(Setting<T> setting) {
        return Objects.requireNonNull(get(setting), setting.attribute());
    }

    /** Returns the sources of a setting, the weakest first. Only a list can have several sources. */
    public List<SettingSource> sources(Setting<?> setting) {
        Value<?> value = values.get(setting);
        return value == null ? DEFAULT_ALONE : value.sources();
    }

    /** Returns the descriptions of a setting's sources as one text; {@code default} if no layer sets it. */
    public String source(Setting<?> setting) {
        return describe(sources(setting));
    }

    /** Returns the place of the strongest layer that sets a setting. */
    public Place place(Setting<?> setting) {
        List<SettingSource> sources = sources(setting);
        return sources.get(sources.size() - 1).place(setting);
    }

    /** Returns whether a layer other than the built-in defaults sets a setting. */
    public boolean isSet(Setting<?> setting) {
        return !sources(setting).equals(DEFAULT_ALONE);
    }

    /** Returns which calls are stored to run later. */
    public SettingGroup.Storing storing() {
        SettingGroup.Storing most = SettingGroup.Storing.NONE;
        for (SettingGroup group : SettingGroup.all()) {
            SettingGroup.Storing storing = group.storing(this);
            most = storing.compareTo(most) > 0 ? storing : most;
        }
        return most;
    }

    /** Returns whether the retries of a call run later, without its caller. */
    public boolean isHandedOver() {
        return storing().handsOver();
    }

    /** Returns whether many methods share an expression, for example because it is set in a policy. */
    public boolean isShared(Setting<String> expression) {
        return sources(expression).stream()
                .anyMatch(source -> source.isProperty() && source.kind() != SettingSource.Kind.METHODS);
    }

    /** Returns whether an operator has switched off the retries at run time. */
    public boolean isSwitchedOff() {
        return !require(Setting.RETRYABLE) && sources(Setting.RETRYABLE).get(0).isOperator();
    }

    /**
     * Applies the settings of layers to a policy. The policy does not record whether an operator has
     * {@linkplain #isSwitchedOff() switched off} the retries, because that also applies to running calls, which keep
     * their policy.
     */
    public void applyTo(RetryPolicyBuilder policy, Set<Setting<?>> except) {
        for (Setting<?> setting : values.keySet()) {
            if (isSet(setting)
                    && !except.contains(setting)
                    && !(setting.equals(Setting.RETRYABLE) && isSwitchedOff())) {
                apply(setting, policy);
            }
        }
    }

    /**
     * Returns the exceptions of open circuit breakers that are excluded because the breaker would also reject a retry.
     * An exception that is itself listed or has a rule is not excluded. If calls are handed over, none is excluded,
     * because such a call can wait for the breaker.
     */
    public Set<Class<? extends Throwable>> excludedBreakers() {
        if (isHandedOver()) {
            return Set.of();
        }
        Set<Class<? extends Throwable>> listed = Objects.requireNonNullElse(get(Setting.EXCEPTIONS), Set.of());
        Set<Class<? extends Throwable>> excluded = new LinkedHashSet<>(OPEN_BREAKER_TYPES);
        excluded.removeIf(type -> listed.contains(type)
                || rules().keySet().stream().anyMatch(error -> error.toString().equals(type.getName())));
        return excluded;
    }

    private <T> void apply(Setting<T> setting, RetryPolicyBuilder policy) {
        setting.apply(policy, require(setting));
    }

    /**
     * Returns whether layers set both delays to contradictory values. If only one is set, no contradiction is possible:
     * {@code maxDelay} limits the default delay, and {@code delay} raises the default {@code maxDelay}.
     */
    public boolean hasMaxDelayBelowDelay() {
        return isSet(Setting.DELAY)
                && isSet(Setting.MAX_DELAY)
                && require(Setting.MAX_DELAY).compareTo(require(Setting.DELAY)) < 0;
    }

    public RetryFault maxDelayBelowDelay(Place place) {
        return new RetryFault(
                place,
                "maxDelay is " + printed(Setting.MAX_DELAY) + ", but must not be below delay, which is "
                        + printed(Setting.DELAY),
                List.of(),
                List.of(place(Setting.MAX_DELAY), place(Setting.DELAY)));
    }

    private String printed(Setting<?> setting) {
        return "'" + Setting.print(require(setting)) + "' (" + place(setting) + ")";
    }

    private static String describe(List<SettingSource> sources) {
        return sources.stream().map(SettingSource::describe).collect(Collectors.joining(", "));
    }

    /**
     * A value with its sources, the weakest first. A list is a set in the order of the layers. Only lists can have
     * several sources.
     */
    public record Value<T>(T value, List<SettingSource> sources) {

        /** Prints the value as it is written in a property, such as {@code 500ms} for a duration. */
        public String print() {
            return Setting.print(value);
        }

        public String source() {
            return describe(sources);
        }
    }
}
