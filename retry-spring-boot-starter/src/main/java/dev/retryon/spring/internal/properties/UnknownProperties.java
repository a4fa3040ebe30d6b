// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.properties;

import dev.retryon.spring.internal.report.NearestName;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.report.RetryWarning;
import dev.retryon.spring.internal.settings.RetryModule;
import dev.retryon.spring.internal.settings.Setting;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
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
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Reports properties that do not exist. One that resembles a known property is a fault. Others may belong to another version,
 * and are one warning. The known properties are those that the binder looks for.
 */
final class UnknownProperties extends AbstractBindHandler {

    /** Names with dots, and then a setting. */
    private static final Pattern KEY_WITHOUT_BRACKETS =
            Pattern.compile("(?<place>retryon\\.methods\\.(?<key>[^\\[]+?\\.[^\\[]+?))(\\.[a-z-]+|\\[\\d+])+");

    private static final Pattern ERROR_WITHOUT_BRACKETS =
            Pattern.compile("(?<place>retryon\\.(?:defaults|(?:policies|methods)(?:\\.[^.\\[]+|\\[[^]]+]))\\.errors\\."
                    + "(?<error>[^.\\[]+\\.[^\\[]+))\\.[^.]+");

    private static final Pattern VARIABLE_OF_ERROR = Pattern.compile(
            "retryon_.+_errors(_[^_]+){2,}_((max_?)?(attempts|delay)|backoff|multiplier|jitter|budget_?cost)");

    private static final String VARIABLES = "retryon_";

    private static final String VARIABLES_OF_METHODS = "retryon_methods_";

    private final Set<ConfigurationPropertyName> known = new HashSet<>();

    UnknownProperties() {
        super(new NoUnboundElementsBindHandler(BindHandler.DEFAULT, source -> !isEnvironment(source)));
    }

    @Override
    public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
        known.add(name);
        return super.onStart(name, target, context);
    }

    /** Reports the unknown properties of a block that is bound, except for those below properties that failed. */
    void report(
            ConfigurationPropertyName block,
            Bindable<?> target,
            BindContext context,
            Set<ConfigurationPropertyName> failed,
            RetryFaults faults)
            throws Exception {
        List<String> others = new ArrayList<>();
        try {
            onFinish(block, target, context, null);
        } catch (UnboundConfigurationPropertiesException ex) {
            for (ConfigurationProperty property : ex.getUnboundProperties()) {
                ConfigurationPropertyName name = property.getName();
                // A known property without a value does not bind either.
                if (!known.contains(name)
                        && failed.stream().noneMatch(other -> other.equals(name) || other.isAncestorOf(name))
                        && !report(property, faults)) {
                    others.add(written(property));
                }
            }
        }
        if (!others.isEmpty()) {
            faults.warn(
                    RetryWarning.UNKNOWN_PROPERTY,
                    String.join(", ", others) + ": unknown in this version of RetryOn and without effect; correct or"
                            + " remove " + (others.size() == 1 ? "it" : "them"));
        }
        for (ConfigurationPropertySource source : context.getSources()) {
            if (isEnvironment(source)
                    && source.getUnderlyingSource() instanceof EnumerablePropertySource<?> variables) {
                checkVariables(variables.getPropertyNames(), faults);
            }
        }
    }

    /** Reports a property whose cause is known; returns whether it is. */
    private boolean report(ConfigurationProperty property, RetryFaults faults) {
        String written = written(property);
        String[] elements = written.split("\\.", -1);
        RetryModule module = RetryModule.ofBlock(property.getName().getElement(1, Form.UNIFORM));
        if (module != null && known.contains(ConfigurationPropertyName.of("retryon"))) {
            // A module checks its own properties.
            if (!module.isPresent()) {
                faults.add(
                        elements[0] + "." + elements[1], "needs a module; add the dependency " + module.dependency());
            }
            return true;
        }
        Matcher key = KEY_WITHOUT_BRACKETS.matcher(written);
        if (key.matches()) {
            faults.add(
                    key.group("place"),
                    "is not the name of a class or method, because it is not in brackets; write \"[" + key.group("key")
                            + "]\"");
            return true;
        }
        Matcher error = ERROR_WITHOUT_BRACKETS.matcher(written);
        if (error.matches()) {
            faults.add(
                    error.group("place"),
                    "is not the code of an error, because it is not in brackets; write \"[" + error.group("error")
                            + "]\"");
            return true;
        }
        String meant = meant(property.getName());
        if (meant != null) {
            faults.add(written, "is not a property; did you mean '" + meant + "'?");
        }
        return meant != null;
    }

    /** The known property that an unknown one resembles; {@code null} if there is none. */
    private @Nullable String meant(ConfigurationPropertyName name) {
        int depth = name.getNumberOfElements() - 1;
        while (depth > 0 && !known.contains(name.chop(depth))) {
            depth--;
        }
        ConfigurationPropertyName block = name.chop(depth);
        Map<String, String> candidates = new LinkedHashMap<>();
        if (depth == 1) {
            // Settings belong in a block.
            Setting.all()
                    .forEach(setting -> candidates.put(setting.property(), "retryon.defaults." + setting.property()));
        }
        known.stream()
                .filter(block::isParentOf)
                .forEach(child -> candidates.put(child.getLastElement(Form.DASHED), child.toString()));
        String wrong = name.getElement(depth, Form.DASHED);
        int length = wrong.length();
        String nearest = NearestName.of(wrong, candidates.keySet(), Math.max(Math.min(2, length / 2), length / 3));
        return nearest == null
                ? null
                : candidates.get(nearest)
                        + name.toString()
                                .substring(name.chop(depth + 1).toString().length());
    }

    /** Boot ignores unknown variables, because they may be for another program. */
    private void checkVariables(String[] variables, RetryFaults faults) {
        List<String> ours = Arrays.stream(variables)
                .filter(variable -> variable.toLowerCase(Locale.ROOT).startsWith(VARIABLES))
                .toList();
        if (ours.isEmpty()) {
            return;
        }
        Map<String, String> byLetters = new LinkedHashMap<>();
        known.forEach(name -> byLetters.put(name.toString().replaceAll("[^a-z0-9]", ""), name.toString()));
        for (String variable : ours) {
            String name = variable.toLowerCase(Locale.ROOT);
            if (name.startsWith(VARIABLES_OF_METHODS)) {
                faults.add(
                        variable,
                        "is an environment variable, which cannot name a class or method; use SPRING_APPLICATION_JSON"
                                + "='{\"retryon.methods[com.acme.Payments#charge].delay\":\"2s\"}'");
            } else if (VARIABLE_OF_ERROR.matcher(name).matches() && !byLetters.containsKey(name.replace("_", ""))) {
                faults.add(
                        variable,
                        "is an environment variable, which cannot name an error with a dot; use"
                                + " SPRING_APPLICATION_JSON='{\"retryon.defaults.errors[http.503].delay\":\"2s\"}'");
            } else {
                checkVariable(variable, name.replaceFirst("(_\\d+)+_?$", "").replace("_", ""), byLetters, faults);
            }
        }
    }

    private static void checkVariable(
            String variable, String letters, Map<String, String> byLetters, RetryFaults faults) {
        Collection<String> names = byLetters.keySet();
        // Short names such as RETRYON_HOME resemble a property by chance.
        int changes = Math.min(2, (letters.length() - "retryon".length()) / 5);
        String nearest = names.contains(letters) ? null : NearestName.of(letters, names, changes);
        if (nearest != null) {
            faults.warn(
                    RetryWarning.UNKNOWN_PROPERTY,
                    "Environment variable " + variable + " is not a property of RetryOn; did you mean '"
                            + byLetters.get(nearest) + "'?");
        }
    }

    static boolean isEnvironment(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof PropertySource<?> properties
                && properties.getName().endsWith(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
    }

    /** The name as written in the file. */
    private static String written(ConfigurationProperty property) {
        return property.getOrigin() instanceof PropertySourceOrigin origin
                ? origin.getPropertyName()
                : property.getName().toString();
    }
}
