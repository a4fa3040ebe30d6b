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

/** The settings of a method once all layers are merged, and the source of each. Immutable. */
public final class EffectiveSettings {

    private static final List<SettingSource> DEFAULT_ALONE = List.of(SettingSource.BUILT_IN);

    private static final EffectiveSettings NONE = new EffectiveSettings(Map.of(), Map.of());

    private static final EffectiveSettings DEFAULTS = new EffectiveSettings(builtIn(), Map.of());

    /** The exceptions of open circuit breakers. */
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

    /** The exceptions whose libraries are on the class path. */
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

    /** The settings of a policy that was built in code. Gates and other parts that exist only as code are missing. */
    public static EffectiveSettings of(RetryPolicy policy) {
        return NONE.with(RetrySettings.of(policy));
    }

    /** Lays layers over these settings, the strongest last. */
    public EffectiveSettings with(Collection<RetrySettings> layers) {
        EffectiveSettings merged = this;
        for (RetrySettings layer : layers) {
            merged = merged.with(layer);
        }
        return merged;
    }

    /** Lays a stronger layer over these settings: single values are replaced, lists add up. */
    public EffectiveSettings with(RetrySettings layer) {
        if (layer.isEmpty()) {
            return this;
        }
        Map<Setting<?>, Value<?>> merged = new TreeMap<>(values);
        layer.values().keySet().forEach(setting -> merge(setting, layer, merged));
        return new EffectiveSettings(merged, rules(layer));
    }

    /** The overrides of a call within another one that has overrides too. */
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

    /** Adds the rules of a layer. If an operator or a call sets a value for all errors, the rules lose theirs. */
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

    /** Leaves out settings that have no built-in default. */
    private EffectiveSettings without(Setting<?>... settings) {
        Map<Setting<?>, Value<?>> others = new TreeMap<>(values);
        others.keySet().removeAll(List.of(settings));
        return new EffectiveSettings(others, rules);
    }

    /** In the order of {@link Setting#all()}; settings without a value are missing. */
    public Map<Setting<?>, Value<?>> values() {
        return Collections.unmodifiableMap(values);
    }

    /**
     * A new map by {@link Setting#attribute()}. The settings of rules come last, as {@code
     * errors[com.acme.ThrottledException].delay}.
     */
    public Map<String, Value<?>> byAttribute() {
        Map<String, Value<?>> byAttribute = new LinkedHashMap<>();
        values.forEach((setting, value) -> byAttribute.put(setting.attribute(), value));
        byAttribute.remove(Setting.ERRORS.attribute());
        rules.forEach((error, rule) -> rule.values.forEach(
                (setting, value) -> byAttribute.put(ErrorKey.ruleName(error) + "." + setting.attribute(), value)));
        return byAttribute;
    }

    /** The rules for single errors; each has only those settings that a layer sets for it. */
    public Map<ErrorKey, EffectiveSettings> rules() {
        return Collections.unmodifiableMap(rules);
    }

    /** The types that are listed or have a rule, as a new set. */
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

    /** The value of a setting that has a default. */
    public <T> T require(Setting<T> setting) {
        return Objects.requireNonNull(get(setting), setting.attribute());
    }

    /** The weakest first; only a list can have several. */
    public List<SettingSource> sources(Setting<?> setting) {
        Value<?> value = values.get(setting);
        return value == null ? DEFAULT_ALONE : value.sources();
    }

    /** The described sources, joined; {@code default} if no layer sets it. */
    public String source(Setting<?> setting) {
        return describe(sources(setting));
    }

    /** The place of the strongest layer that sets a setting. */
    public Place place(Setting<?> setting) {
        List<SettingSource> sources = sources(setting);
        return sources.get(sources.size() - 1).place(setting);
    }

    /** Whether a layer other than the built-in defaults sets a setting. */
    public boolean isSet(Setting<?> setting) {
        return !sources(setting).equals(DEFAULT_ALONE);
    }

    /** Which calls are stored, to run later. */
    public SettingGroup.Storing storing() {
        SettingGroup.Storing most = SettingGroup.Storing.NONE;
        for (SettingGroup group : SettingGroup.all()) {
            SettingGroup.Storing storing = group.storing(this);
            most = storing.compareTo(most) > 0 ? storing : most;
        }
        return most;
    }

    /** Whether the retries of a call run later, without its caller. */
    public boolean isHandedOver() {
        return storing().handsOver();
    }

    /** Whether an expression is written for many methods at once, as in a policy. */
    public boolean isShared(Setting<String> expression) {
        return sources(expression).stream()
                .anyMatch(source -> source.isProperty() && source.kind() != SettingSource.Kind.METHODS);
    }

    /** Whether an operator has switched the retries off at run time. */
    public boolean isSwitchedOff() {
        return !require(Setting.RETRYABLE) && sources(Setting.RETRYABLE).get(0).isOperator();
    }

    /**
     * Applies the settings of layers to a policy. Leaves out that an operator has {@linkplain #isSwitchedOff() switched
     * off} the retries, because that also applies to running calls, which keep their policy.
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
     * The exceptions of open circuit breakers that are excluded, because the breaker would refuse a retry too. One that is
     * listed itself or has a rule is not excluded. A call that is handed over can wait for the breaker.
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
     * Whether layers set both and they contradict each other: a maxDelay cuts a default delay, and a delay raises the
     * default maxDelay.
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
     * A value with its sources, the weakest first. A list is a set in the order of the layers, and only a list can have
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
