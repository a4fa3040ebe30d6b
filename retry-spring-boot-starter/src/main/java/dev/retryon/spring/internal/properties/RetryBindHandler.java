// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.properties;

import dev.retryon.backoff.DurationText;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.report.RetryWarning;
import dev.retryon.spring.internal.report.StarterLog;
import dev.retryon.spring.internal.settings.PropertyBlocks;
import dev.retryon.spring.internal.settings.RetryModule;
import dev.retryon.spring.internal.settings.Setting;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.ClassUtils;

/**
 * Collects the properties below {@code retryon} that do not bind, so that all of them are reported together. A property
 * that does not exist is a fault too.
 */
public final class RetryBindHandler extends AbstractBindHandler {

    private static final ConfigurationPropertyName RETRYON = ConfigurationPropertyName.of("retryon");

    private static final ConfigurationPropertyName EXCLUDES = RETRYON.append("defaults.excludes");

    /** Blocks that may be for another application. */
    private static final List<ConfigurationPropertyName> ONLY_IF_USED =
            List.of(RETRYON.append("policies"), RETRYON.append("methods"));

    /** Lists of classes are bound as texts first, because Boot stops at the first item that is empty or missing. */
    private static final Bindable<List<Object>> CLASS_NAMES = Bindable.listOf(Object.class);

    private static final String VARIABLES = "retryon_";

    private static final String VARIABLES_OF_METHODS = "retryon_methods_";

    private final RetryFaults faults;

    private final KnownProperties known;

    private final Set<ConfigurationPropertyName> failed = new HashSet<>();

    private @Nullable BindHandler strict;

    public RetryBindHandler(BindHandler parent, RetryFaults faults, KnownProperties known) {
        super(parent);
        this.faults = faults;
        this.known = known;
    }

    private boolean isOurs(ConfigurationPropertyName name) {
        return name.equals(RETRYON) || RETRYON.isAncestorOf(name);
    }

    @Override
    @SuppressWarnings("unchecked") // onSuccess makes classes of the names
    public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
        if (name.equals(RETRYON)) {
            strict = new NoUnboundElementsBindHandler(BindHandler.DEFAULT, source -> !isEnvironment(source));
        }
        if (strict != null && isOurs(name)) {
            strict.onStart(name, target, context);
        }
        boolean isClasses = isOurs(name) && isListOf(Class.class, target);
        return super.onStart(name, isClasses ? (Bindable<T>) CLASS_NAMES : target, context);
    }

    @Override
    public @Nullable Object onSuccess(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
        if (isOurs(name)) {
            if (strict != null) {
                strict.onSuccess(name, target, context, result);
            }
            if (result instanceof Integer
                    && value(name, context) instanceof Double given
                    && given != Math.rint(given)) {
                faults.add(name.toString(), problem(name, context, target.getType()));
            }
        }
        boolean isClasses = isOurs(name) && isListOf(Object.class, target);
        return super.onSuccess(name, target, context, isClasses ? classes(name, context, (List<?>) result) : result);
    }

    @Override
    public @Nullable Object onFailure(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) throws Exception {
        if (!isOurs(name) || name.equals(RETRYON)) {
            return super.onFailure(name, target, context, error);
        }
        Class<?> type = target.getType().toClass();
        if (type == Duration.class) {
            Duration fraction = fraction(text(name, context));
            if (fraction != null) {
                return onSuccess(name, target, context, fraction);
            }
        }
        if (failed.stream().noneMatch(name::isAncestorOf)) {
            boolean isClasses = isListOf(Object.class, target);
            faults.add(
                    name.toString(),
                    problem(name, context, isClasses ? ResolvableType.forClass(Class.class) : target.getType()));
        }
        failed.add(name);
        // A replacement, so that the following elements of a list are read too.
        return type == Integer.class && name.isLastElementIndexed() ? PropertyBlocks.UNREADABLE_NUMBER : null;
    }

    @Override
    public void onFinish(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, @Nullable Object result)
            throws Exception {
        if (isOurs(name) && known.isBlock(target.getType().toClass())) {
            for (ConfigurationPropertySource source : context.getSources()) {
                if (!isEnvironment(source)) {
                    checkScalar(name, source.getConfigurationProperty(name), target.getType());
                }
            }
        }
        if (isOurs(name) && result instanceof PropertyBlocks.Checked block) {
            block.check(faults);
        }
        if (strict != null && name.equals(RETRYON)) {
            try {
                strict.onFinish(name, target, context, result);
            } catch (UnboundConfigurationPropertiesException ex) {
                List<String> elsewhere = new ArrayList<>();
                ex.getUnboundProperties().forEach(property -> unknown(property, elsewhere));
                if (!elsewhere.isEmpty()) {
                    faults.warn(
                            RetryWarning.UNKNOWN_PROPERTY,
                            elsewhere + " are no properties of this version of RetryOn and have no effect;"
                                    + " correct or remove them");
                }
            }
            for (ConfigurationPropertySource source : context.getSources()) {
                if (isEnvironment(source)) {
                    checkVariables(source);
                }
            }
        }
        super.onFinish(name, target, context, result);
    }

    /** Durations such as 0.5s, which Boot does not read. */
    private @Nullable Duration fraction(String text) {
        try {
            return DurationText.parse(text);
        } catch (IllegalArgumentException ex) {
            return null;
        }
    }

    private void unknown(ConfigurationProperty property, List<String> elsewhere) {
        ConfigurationPropertyName name = property.getName();
        if (name.getNumberOfElements() < 2
                || failed.stream().anyMatch(other -> other.equals(name) || other.isAncestorOf(name))) {
            return;
        }
        String written = written(property);
        if (isMethodWithoutBrackets(name)) {
            String key = written.replaceFirst("^retryon\\.methods\\.", "").replaceFirst("(\\.[a-z-]+|\\[\\d+])+$", "");
            faults.add(
                    "retryon.methods." + key,
                    "is not the name of a class or method, because it is not in brackets; write \"[" + key + "]\"");
        } else {
            RetryModule module = RetryModule.ofBlock(name.getElement(1, Form.UNIFORM));
            if (module != null && !module.isPresent()) {
                faults.add(
                        written.replaceFirst("^([^.]+\\.[^.]+)\\..*$", "$1"),
                        "needs a module; add the dependency " + module.dependency());
                return;
            }
            String explanation = known.explain(name, property.getValue());
            // A property that exists and is not bound has no value.
            if (explanation != null && explanation.contains(KnownProperties.DID_YOU_MEAN)) {
                faults.add(written, "is not a property; " + explanation);
            } else if (explanation != null) {
                elsewhere.add(written);
            }
        }
    }

    /** Reports a value where a block is expected, which Boot ignores. Boot reads an empty block as an empty text. */
    private void checkScalar(
            ConfigurationPropertyName name, @Nullable ConfigurationProperty property, ResolvableType type) {
        String text = property == null
                ? ""
                : Objects.toString(property.getValue(), "").trim();
        if (!text.isEmpty()) {
            boolean isSwitch = text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false");
            boolean hasSwitch = BeanUtils.getPropertyDescriptor(type.toClass(), "enabled") != null;
            faults.add(
                    name.toString(),
                    "is '" + text + "', but must be " + known.rule(name, type)
                            + (isSwitch && hasSwitch ? "; did you mean '" + name + ".enabled'?" : ""));
        }
    }

    private boolean isMethodWithoutBrackets(ConfigurationPropertyName name) {
        return name.getElement(1, Form.UNIFORM).equals("methods")
                && name.getNumberOfElements() > 4
                && !name.toString().startsWith("retryon.methods[");
    }

    /** Boot ignores unknown variables, because they may be for another program. */
    private void checkVariables(ConfigurationPropertySource source) {
        if (!(source.getUnderlyingSource() instanceof EnumerablePropertySource<?> variables)) {
            return;
        }
        for (String variable : variables.getPropertyNames()) {
            String name = variable.toLowerCase(Locale.ROOT);
            if (name.startsWith(VARIABLES_OF_METHODS)) {
                faults.add(
                        variable,
                        "is an environment variable, which can't name a class or method; use SPRING_APPLICATION_JSON"
                                + "='{\"retryon.methods[com.acme.Payments#charge].delay\":\"2s\"}'");
            } else if (name.startsWith(VARIABLES) && !known.mayBeKnown(name.substring(VARIABLES.length()))) {
                faults.warn(
                        RetryWarning.UNKNOWN_PROPERTY,
                        "Environment variable " + variable + " is no property of RetryOn; correct or remove it");
            }
        }
    }

    private static boolean isEnvironment(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof PropertySource<?> properties
                && properties.getName().endsWith(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
    }

    /** The name as written in the file. */
    private static String written(ConfigurationProperty property) {
        return property.getOrigin() instanceof PropertySourceOrigin origin
                ? origin.getPropertyName()
                : property.getName().toString();
    }

    private static @Nullable Object value(ConfigurationPropertyName name, BindContext context) {
        for (var source : context.getSources()) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                return property.getValue();
            }
        }
        return null;
    }

    private String problem(ConfigurationPropertyName property, BindContext context, ResolvableType type) {
        String written = Objects.toString(value(property, context), "");
        String text = text(property, context);
        if (text.contains("${")) {
            return Setting.unresolved(written);
        }
        return "is '" + written + "'" + (text.equals(written) ? "" : ", which gives '" + text + "'") + ", but must be "
                + (isTooLarge(text, type) ? "at most " + Integer.MAX_VALUE : known.rule(property, type));
    }

    private static boolean isListOf(Class<?> type, Bindable<?> target) {
        return Collection.class.isAssignableFrom(target.getType().toClass())
                && target.getType().getGeneric(0).toClass() == type;
    }

    /** The classes of a list that is written as one text or item by item; records those that are missing. */
    private List<Class<?>> classes(ConfigurationPropertyName list, BindContext context, List<?> names) {
        List<Class<?>> classes = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        boolean isText = value(list, context) != null;
        for (int i = 0; i < names.size(); i++) {
            String name = Objects.toString(names.get(i), "").trim();
            if (names.get(i) instanceof Class<?> type) {
                classes.add(type);
            } else if (ClassUtils.isPresent(name, null)) {
                classes.add(ClassUtils.resolveClassName(name, null));
            } else if (isText && !name.isEmpty()) {
                missing.add(name);
            } else if (!name.isEmpty()) {
                ConfigurationPropertyName item = list.append("[" + i + "]");
                missing(item, problem(item, context, ResolvableType.forClass(Class.class)), context);
            }
        }
        if (!missing.isEmpty()) {
            String problem = text(list, context).contains("${")
                    ? Setting.unresolved(Objects.toString(value(list, context), ""))
                    : "has '" + String.join("', '", missing) + "', but must be the full names of exception classes that"
                            + " are on the class path, separated by commas";
            missing(list, problem, context);
        }
        return classes;
    }

    private void missing(ConfigurationPropertyName name, String problem, BindContext context) {
        if (EXCLUDES.equals(name.chop(3))) {
            StarterLog.infoOfStart(
                    name + " has classes that are not on the class path; they are ignored: " + text(name, context));
        } else if (ONLY_IF_USED.stream().anyMatch(block -> block.isAncestorOf(name))) {
            faults.addIfUsed(name.toString(), problem);
        } else {
            faults.add(name.toString(), problem);
        }
    }

    /** A value with resolved placeholders; unresolved placeholders remain. */
    private static String text(ConfigurationPropertyName property, BindContext context) {
        String written = Objects.toString(value(property, context), "");
        return written.contains("${")
                ? context.getBinder().bind(property, Bindable.of(String.class)).orElse("")
                : written;
    }

    private static boolean isTooLarge(String text, ResolvableType type) {
        return ClassUtils.resolvePrimitiveIfNecessary(type.toClass()) == Integer.class
                && text.matches("\\d{10,}")
                && new BigInteger(text).bitLength() > 31;
    }
}
