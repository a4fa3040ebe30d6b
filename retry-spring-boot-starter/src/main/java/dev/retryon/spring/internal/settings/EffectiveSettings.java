/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.settings;

import dev.retryon.RetryPolicy;
import dev.retryon.RetryPolicyBuilder;
import dev.retryon.spring.Place;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetrySettings;
import dev.retryon.spring.RetrySettingsBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The settings of a method once all layers are merged, and the source of each. Immutable. */
public final class EffectiveSettings {

    private static final List<SettingSource> DEFAULT_ALONE = List.of(SettingSource.builtIn());

    private static final EffectiveSettings NONE = new EffectiveSettings(Map.of(), Map.of());

    private static final EffectiveSettings DEFAULTS = new EffectiveSettings(builtIn(), Map.of());

    private final Map<Setting<?>, Value<?>> values;

    private final Map<ErrorKey, EffectiveSettings> rules;

    private EffectiveSettings(Map<Setting<?>, Value<?>> values, Map<ErrorKey, EffectiveSettings> rules) {
        this.values = values;
        this.rules = rules;
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

    /** The built-in defaults: settings of which the source is {@link SettingSource#builtIn()}. */
    public static EffectiveSettings defaults() {
        return DEFAULTS;
    }

    /**
     * The settings of a policy that was built in code. Gates, and what else a policy has only as code, are not among
     * them.
     *
     * @param policy the policy
     * @return settings of which the source is {@link SettingSource#code()}
     */
    public static EffectiveSettings of(RetryPolicy policy) {
        return NONE.with(RetryLayer.of(policy));
    }

    /**
     * Lays layers over these settings.
     *
     * @param layers the layers, the strongest last
     * @return the merged settings
     */
    public EffectiveSettings with(Collection<RetryLayer> layers) {
        EffectiveSettings merged = this;
        for (RetryLayer layer : layers) {
            merged = merged.with(layer);
        }
        return merged;
    }

    /**
     * Lays a layer over these settings: single values are replaced, lists add up.
     *
     * @param layer the stronger layer
     * @return the merged settings
     */
    public EffectiveSettings with(RetryLayer layer) {
        if (layer.settings().isEmpty()) {
            return this;
        }
        Map<Setting<?>, Value<?>> merged = new TreeMap<>(values);
        layer.settings().values().keySet().forEach(setting -> merge(setting, layer, merged));
        return new EffectiveSettings(merged, rules(layer));
    }

    /**
     * The settings of a call within another one.
     *
     * @param outer what the outer call overrides
     * @param inner what the inner call overrides, which is stronger
     * @return the overrides of both
     */
    public static RetrySettings ofNestedCalls(RetrySettings outer, RetrySettings inner) {
        return NONE.with(new RetryLayer(SettingSource.call(), outer))
                .with(new RetryLayer(SettingSource.call(), inner))
                .toSettings();
    }

    private RetrySettings toSettings() {
        RetrySettingsBuilder settings = RetrySettings.builder();
        values.keySet().stream()
                .filter(setting -> !setting.equals(Setting.ERRORS))
                .forEach(setting -> copy(setting, settings));
        Map<ErrorKey, RetrySettings> left = new LinkedHashMap<>();
        rules.forEach((error, rule) -> left.put(error, rule.toSettings()));
        return settings.accept(Setting.ERRORS, left, fault -> {}).build();
    }

    private <T> void copy(Setting<T> setting, RetrySettingsBuilder into) {
        into.set(setting, require(setting));
    }

    /** Adds the rules of a layer. If an operator or a call sets a value for all errors, the rules lose theirs. */
    private Map<ErrorKey, EffectiveSettings> rules(RetryLayer layer) {
        Map<ErrorKey, EffectiveSettings> merged = new LinkedHashMap<>(rules);
        SettingSource source = layer.source();
        if (source instanceof SettingSource.Operator || source instanceof SettingSource.Call) {
            merged.replaceAll((error, rule) -> rule.overriddenBy(layer));
        }
        Map<ErrorKey, RetrySettings> stronger = layer.settings().get(Setting.ERRORS);
        if (stronger == null) {
            return merged;
        }
        stronger.forEach((error, rule) -> {
            RetryLayer own = new RetryLayer(source.ofRule(error), rule);
            merged.put(error, merged.getOrDefault(error, NONE).with(own));
        });
        return merged;
    }

    private <T> void merge(Setting<T> setting, RetryLayer layer, Map<Setting<?>, Value<?>> merged) {
        T stronger = Objects.requireNonNull(layer.settings().get(setting));
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
    private EffectiveSettings overriddenBy(RetryLayer layer) {
        EffectiveSettings left = without(layer.settings().values().keySet().toArray(new Setting<?>[0]));
        Duration delay = layer.settings().get(Setting.DELAY);
        Duration cap = layer.settings().get(Setting.MAX_DELAY);
        Duration ownDelay = left.get(Setting.DELAY);
        Duration ownCap = left.get(Setting.MAX_DELAY);
        if (cap != null && ownDelay != null && ownDelay.compareTo(cap) > 0) {
            RetrySettings cut = RetrySettings.builder().delay(cap).build();
            left = left.with(new RetryLayer(layer.source(), cut));
        }
        return delay != null && ownCap != null && ownCap.compareTo(delay) < 0 ? left.without(Setting.MAX_DELAY) : left;
    }

    /**
     * Leaves settings out, so that they have neither a value nor a source.
     *
     * @param settings settings without a built-in default
     * @return the other settings
     */
    public EffectiveSettings without(Setting<?>... settings) {
        Map<Setting<?>, Value<?>> others = new TreeMap<>(values);
        others.keySet().removeAll(List.of(settings));
        return new EffectiveSettings(others, rules);
    }

    /** All values with their sources, in the order of {@link Setting#all()}; settings without a value are missing. */
    public Map<Setting<?>, Value<?>> values() {
        return Collections.unmodifiableMap(values);
    }

    /**
     * All values with their sources, by the names of the settings: a new map, by {@link Setting#attribute()}, in the order of
     * {@link #values()}. The settings of rules come last, as {@code errors[com.acme.ThrottledException].delay}.
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

    /**
     * The value of a setting with its sources.
     *
     * @param <T> its type
     * @param setting the setting
     * @return the value, or {@code null} if there is none
     */
    @SuppressWarnings("unchecked") // values are put with the setting they belong to
    public <T> @Nullable Value<T> value(Setting<T> setting) {
        return (Value<T>) values.get(setting);
    }

    /**
     * The value of a setting.
     *
     * @param <T> its type
     * @param setting the setting
     * @return the value, or {@code null} if there is none
     */
    public <T> @Nullable T get(Setting<T> setting) {
        Value<T> value = value(setting);
        return value == null ? null : value.value();
    }

    /**
     * The value of a setting that has a default.
     *
     * @param <T> its type
     * @param setting the setting
     * @return the value
     */
    public <T> T require(Setting<T> setting) {
        return Objects.requireNonNull(get(setting), setting.attribute());
    }

    /**
     * The sources of a setting.
     *
     * @param setting the setting
     * @return the weakest first; only a list can have several
     */
    public List<SettingSource> sources(Setting<?> setting) {
        Value<?> value = values.get(setting);
        return value == null ? DEFAULT_ALONE : value.sources();
    }

    /**
     * Describes the sources of a setting.
     *
     * @param setting the setting
     * @return the sources, joined; {@code default} if no layer sets it
     */
    public String source(Setting<?> setting) {
        return describe(sources(setting));
    }

    /**
     * The place to look at in order to change a setting.
     *
     * @param setting the setting
     * @return the property or the annotation of the strongest layer that sets it
     */
    public Place place(Setting<?> setting) {
        List<SettingSource> sources = sources(setting);
        return sources.get(sources.size() - 1).place(setting);
    }

    /**
     * Whether a layer other than the built-in defaults sets a setting.
     *
     * @param setting the setting
     * @return {@code false} if the default holds, or nothing
     */
    public boolean isSet(Setting<?> setting) {
        return !sources(setting).equals(DEFAULT_ALONE);
    }

    /** Whether calls survive the process. */
    public boolean isDurable() {
        StoringMode durable = get(Setting.DURABLE);
        return durable != null && durable != StoringMode.OFF;
    }

    /** The lane of stored calls. */
    public String lane() {
        String lane = get(Setting.LANE);
        return lane == null ? Setting.DEFAULT_LANE : lane;
    }

    /** Whether an expression is written for many methods at once, as in a policy, and not for one. */
    public boolean isShared(Setting<String> expression) {
        return sources(expression).stream()
                .anyMatch(source -> source instanceof SettingSource.Property property
                        && property.block() != SettingSource.Block.METHOD);
    }

    /** Whether it is an operator who has switched the retries off while the application runs; {@code false} nearly always. */
    public boolean isSwitchedOff() {
        return !require(Setting.RETRYABLE) && sources(Setting.RETRYABLE).get(0) instanceof SettingSource.Operator;
    }

    /**
     * Applies the settings of layers to a policy, which has the built-in defaults itself. That an operator has
     * {@linkplain #isSwitchedOff() switched off} the retries is left out, because it also applies to running calls,
     * which keep their policy.
     *
     * @param policy takes the values
     * @param except settings that it is not given
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

    private <T> void apply(Setting<T> setting, RetryPolicyBuilder policy) {
        setting.apply(policy, require(setting));
    }

    /**
     * Takes the value of a setting, if there is one.
     *
     * @param <T> its type
     * @param setting the setting
     * @param into takes the value
     */
    public <T> void ifSet(Setting<T> setting, Consumer<T> into) {
        T value = get(setting);
        if (value != null) {
            into.accept(value);
        }
    }

    /**
     * Whether the longest delay that is set is below the delay that is set. A default delay may be above a maxDelay, and a
     * default maxDelay gives way to a delay.
     */
    public boolean hasMaxDelayBelowDelay() {
        return isSet(Setting.DELAY)
                && isSet(Setting.MAX_DELAY)
                && require(Setting.MAX_DELAY).compareTo(require(Setting.DELAY)) < 0;
    }

    /** The fault that one delay contradicts the other. */
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
     * A value and its sources.
     *
     * @param <T> the type of the value
     * @param value the value; a list is a set in the order of the layers
     * @param sources the sources, the weakest first; only a list can have several
     */
    public record Value<T>(T value, List<SettingSource> sources) {

        /** Prints the value as it is written in a property, such as {@code 500ms} for a duration. */
        public String print() {
            return SettingType.print(value);
        }

        /** Describes the sources in one line. */
        public String source() {
            return describe(sources);
        }
    }
}
