// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.properties;

import dev.retryon.backoff.DurationText;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetryFaults.CheckedProperties;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.ClassUtils;

/**
 * Collects the faults of properties below {@code retryon}, to report them together. Faults are values that do not bind, and
 * properties that do not exist. A property with a fault keeps its default.
 */
public final class RetryBindHandler extends AbstractBindHandler {

    private static final ConfigurationPropertyName RETRYON = ConfigurationPropertyName.of("retryon");

    private static final String VARIABLES = "retryon_";

    private final RetryFaults faults;

    /** The properties that the binder looks for. */
    private final Set<ConfigurationPropertyName> known = new HashSet<>();

    private final Set<ConfigurationPropertyName> lists = new HashSet<>();

    private final Set<ConfigurationPropertyName> failed = new HashSet<>();

    public RetryBindHandler(BindHandler parent, RetryFaults faults) {
        super(parent);
        this.faults = faults;
    }

    private static boolean isOurs(ConfigurationPropertyName name) {
        return name.equals(RETRYON) || RETRYON.isAncestorOf(name);
    }

    @Override
    public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
        if (isOurs(name)) {
            if (context.getDepth() == 0) {
                known.clear();
                lists.clear();
                failed.clear();
            }
            known.add(name);
            Class<?> type = target.getType().toClass();
            if (Collection.class.isAssignableFrom(type) || type.isArray()) {
                lists.add(name);
            }
            if (SettingsBlock.class.isAssignableFrom(type)) {
                SettingGroup.all().forEach(group -> addGroup(name, group));
            }
        }
        return super.onStart(name, target, context);
    }

    /** Adds a group's properties to the known ones, because groups are read separately from the blocks that contain them. */
    private void addGroup(ConfigurationPropertyName block, SettingGroup group) {
        known.add(block.append(group.name()));
        group.settings().stream()
                .filter(setting -> !setting.isOnlyForOperators())
                .forEach(setting -> known.add(block.append(setting.property())));
    }

    @Override
    public @Nullable Object onSuccess(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
        if (isOurs(name) && result instanceof Integer whole) {
            checkWhole(name, whole, target, context);
        }
        Object bound = super.onSuccess(name, target, context, result);
        return bound instanceof CheckedProperties block ? block.checked(faults) : bound;
    }

    @Override
    public @Nullable Object onFailure(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) throws Exception {
        if (!isOurs(name)) {
            return super.onFailure(name, target, context, error);
        }
        Class<?> type = target.getType().toClass();
        String text = text(name, context);
        if (type == Duration.class) {
            Duration fraction = fraction(text);
            if (fraction != null) {
                return onSuccess(name, target, context, fraction);
            }
        }
        boolean written = property(name, context) != null;
        if (text.isBlank() && written) {
            return valueOfEmpty(target, context);
        }
        if (isBlock(type) && !written) {
            return super.onFailure(name, target, context, error);
        }
        if (failed.stream().noneMatch(other -> name.equals(other) || name.isAncestorOf(other))) {
            faults.add(
                    name.toString(),
                    error instanceof UnboundConfigurationPropertiesException
                            ? "has indexes that are not consecutive; number the items from [0] without a gap"
                            : problem(name, text, context, target.getType()));
        }
        // Binding ends at the first wrong item of a list.
        failed.add(name.isNumericIndex(name.getNumberOfElements() - 1) ? name.getParent() : name);
        return null;
    }

    @Override
    public void onFinish(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, @Nullable Object result)
            throws Exception {
        if (isOurs(name)) {
            if (isBlock(target.getType().toClass()) && !failed.contains(name)) {
                checkNoValue(name, context);
            }
            if (context.getDepth() == 0) {
                reportUnknown(name, context);
            }
        }
        super.onFinish(name, target, context, result);
    }

    private void reportUnknown(ConfigurationPropertyName block, BindContext context) {
        Set<ConfigurationProperty> unknown = new TreeSet<>();
        List<String> variables = new ArrayList<>();
        for (ConfigurationPropertySource source : context.getSources()) {
            if (isEnvironment(source)) {
                if (source.getUnderlyingSource() instanceof EnumerablePropertySource<?> environment) {
                    Stream.of(environment.getPropertyNames())
                            .filter(variable ->
                                    variable.toLowerCase(Locale.ROOT).startsWith(VARIABLES))
                            .forEach(variables::add);
                }
            } else if (source instanceof IterableConfigurationPropertySource names) {
                for (ConfigurationPropertyName name : names) {
                    ConfigurationProperty property =
                            block.isAncestorOf(name) && isUnknown(name) ? readable(source, name) : null;
                    if (property != null) {
                        unknown.add(property);
                    }
                }
            }
        }
        if (!unknown.isEmpty() || !variables.isEmpty()) {
            new UnknownProperties(known, faults).report(unknown, variables);
        }
    }

    /** Returns a property, or {@code null} if its source has no value for it or cannot read the value. */
    private static @Nullable ConfigurationProperty readable(
            ConfigurationPropertySource source, ConfigurationPropertyName name) {
        try {
            return source.getConfigurationProperty(name);
        } catch (RuntimeException ex) {
            return null;
        }
    }

    private boolean isUnknown(ConfigurationPropertyName name) {
        // Another source has replaced a list for which this one also has items.
        boolean isReplaced = name.isLastElementIndexed() && lists.contains(name.getParent());
        return !known.contains(name)
                && !isReplaced
                && failed.stream().noneMatch(other -> other.equals(name) || other.isAncestorOf(name));
    }

    private static boolean isEnvironment(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof PropertySource<?> properties
                && properties.getName().endsWith(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
    }

    /** Rejects a value for a block, because Boot ignores it if another source sets properties of the block. */
    private void checkNoValue(ConfigurationPropertyName block, BindContext context) {
        for (ConfigurationPropertySource source : context.getSources()) {
            ConfigurationProperty property = isEnvironment(source) ? null : source.getConfigurationProperty(block);
            String value = property == null ? "" : written(property);
            if (!value.isBlank()) {
                faults.add(block.toString(), "is '" + value + "', but must be a block of properties");
            }
        }
    }

    private static @Nullable Object valueOfEmpty(Bindable<?> target, BindContext context) {
        Class<?> type = target.getType().toClass();
        return isBlock(type) && context.getDepth() > 0 ? new Binder().bindOrCreate("empty", type) : null;
    }

    /** Rejects a number with a fraction, because Boot truncates such a number in YAML. */
    private void checkWhole(ConfigurationPropertyName name, int result, Bindable<?> target, BindContext context) {
        ConfigurationProperty property = property(name, context);
        if (property != null && property.getValue() instanceof Double number && number != result) {
            faults.add(name.toString(), problem(name, text(name, context), context, target.getType()));
        }
    }

    /** Parses a duration such as 0.5s, which Boot cannot read. */
    private static @Nullable Duration fraction(String text) {
        try {
            return DurationText.parse(text);
        } catch (IllegalArgumentException ex) {
            return null;
        }
    }

    private static @Nullable ConfigurationProperty property(ConfigurationPropertyName name, BindContext context) {
        for (ConfigurationPropertySource source : context.getSources()) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                return property;
            }
        }
        return null;
    }

    private static String written(ConfigurationPropertyName name, BindContext context) {
        ConfigurationProperty property = property(name, context);
        return property == null ? "" : written(property);
    }

    /** Returns the value as text. An empty object in JSON is an empty map, and an empty block in YAML is an empty text. */
    private static String written(ConfigurationProperty property) {
        return property.getValue() instanceof Map<?, ?> map && map.isEmpty()
                ? ""
                : Objects.toString(property.getValue(), "");
    }

    /** Returns a value with resolved placeholders. Unresolved placeholders remain. */
    private static String text(ConfigurationPropertyName name, BindContext context) {
        String written = written(name, context);
        return written.contains("${")
                ? context.getBinder().bind(name, Bindable.of(String.class)).orElse("")
                : written;
    }

    private static String problem(
            ConfigurationPropertyName name, String text, BindContext context, ResolvableType type) {
        String written = written(name, context);
        return text.contains("${")
                ? Setting.unresolved(written)
                : "is '" + written + "'" + (text.equals(written) ? "" : ", which resolves to '" + text + "'")
                        + ", but must be " + rule(type);
    }

    private static String rule(ResolvableType type) {
        Class<?> raw = ClassUtils.resolvePrimitiveIfNecessary(type.toClass());
        if (isBlock(raw) || Map.class.isAssignableFrom(raw)) {
            return "a block of properties";
        }
        if (Collection.class.isAssignableFrom(raw)) {
            return rule(type.getGeneric(0)) + " (or several, separated by commas)";
        }
        if (raw.isEnum()) {
            return Arrays.stream(raw.getEnumConstants())
                    .map(Setting::print)
                    .collect(Collectors.joining(", ", "one of ", ""));
        }
        return switch (raw.getSimpleName()) {
            case "Duration" -> "a duration such as 500ms, 2s, 5m or PT0.5S";
            case "Integer" -> "a whole number of at most " + Integer.MAX_VALUE;
            case "Long" -> "a whole number";
            case "Double" -> "a number";
            case "Boolean" -> "true or false";
            case "String" -> "a text";
            default -> "a " + raw.getSimpleName();
        };
    }

    private static boolean isBlock(Class<?> type) {
        return type.getName().startsWith("dev.retryon.") && !type.isEnum();
    }
}
