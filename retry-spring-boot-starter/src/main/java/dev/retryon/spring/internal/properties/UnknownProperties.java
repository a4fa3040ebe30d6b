// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.properties;

import dev.retryon.spring.internal.report.NearestName;
import dev.retryon.spring.internal.settings.RetryModule;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetryWarning;
import dev.retryon.spring.module.Setting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.core.env.EnumerablePropertySource;

/**
 * Reports properties that do not exist. A property that resembles a known one is a fault. Other properties can belong to
 * another version, and are reported in one warning. The known properties are those that the binder looks for.
 */
final class UnknownProperties {

    /** Names with dots, and then a setting. */
    private static final Pattern KEY_WITHOUT_BRACKETS = Pattern.compile(
            "(?<place>retryon\\.methods\\.(?<key>[^\\[]+?\\.[^\\[]+?))\\.(?:(?:" + names(Setting.all(), "-?")
                    + ")(?:[.\\[].*)?|[a-z-]+)",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern ERROR_WITHOUT_BRACKETS =
            Pattern.compile("(?<place>retryon\\.(?:defaults|(?:policies|methods)(?:\\.[^.\\[]+|\\[[^]]+]))\\.errors\\."
                    + "(?<error>[^.\\[]+\\.[^\\[]+))\\.[^.]+");

    private static final Pattern VARIABLE_OF_ERROR =
            Pattern.compile("retryon_.+_errors(_[^_]+){2,}_(" + names(Setting.ofRules(), "_?") + ")");

    /** For each block, the index of the first name element inside the block: 2 in {@code retryon.defaults.delay}. */
    private static final Map<String, Integer> IN_BLOCKS = Map.of("defaults", 2, "policies", 3, "methods", 3);

    private static final String VARIABLES_OF_METHODS = "retryon_methods_";

    private final Set<ConfigurationPropertyName> known;

    private final RetryFaults faults;

    UnknownProperties(Set<ConfigurationPropertyName> known, RetryFaults faults) {
        this.known = known;
        this.faults = faults;
    }

    private static String names(Collection<Setting<?>> settings, String dash) {
        return settings.stream()
                .map(setting -> setting.property().replace("-", dash))
                .collect(Collectors.joining("|"));
    }

    /** @param variables environment variables, which Boot ignores if they are unknown */
    void report(Collection<ConfigurationProperty> unknown, List<String> variables) {
        List<String> others = new ArrayList<>();
        for (ConfigurationProperty property : unknown) {
            if (!report(property)) {
                others.add(written(property));
            }
        }
        if (!others.isEmpty()) {
            faults.warn(
                    RetryWarning.UNKNOWN_PROPERTY,
                    String.join(", ", others) + ": this version of RetryOn ignores "
                            + (others.size() == 1
                                    ? "this unknown property; correct or remove it"
                                    : "these unknown properties; correct or remove them"));
        }
        if (!variables.isEmpty()) {
            checkVariables(variables);
        }
    }

    /** Reports an unknown property if RetryOn can determine why it is unknown. Returns whether the reason was found. */
    private boolean report(ConfigurationProperty property) {
        String written = written(property);
        String[] elements = written.split("\\.", -1);
        RetryModule module = RetryModule.ofBlock(property.getName().getElement(1, Form.UNIFORM));
        if (module != null && known.contains(ConfigurationPropertyName.of("retryon"))) {
            // A module checks its own properties.
            if (!module.isPresent()) {
                faults.add(
                        elements[0] + "." + elements[1],
                        "needs another module; add the dependency " + module.dependency());
            }
            return true;
        }
        if (isOfMissingGroup(property.getName())) {
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

    /** Reports a property in a block that a missing module adds to blocks of settings. Returns whether the module is missing. */
    private boolean isOfMissingGroup(ConfigurationPropertyName name) {
        int position = IN_BLOCKS.getOrDefault(name.getElement(1, Form.UNIFORM), Integer.MAX_VALUE);
        RetryModule module = position < name.getNumberOfElements()
                ? RetryModule.ofGroup(name.getElement(position, Form.UNIFORM))
                : null;
        if (module == null || module.isPresent()) {
            return false;
        }
        faults.add(
                name.chop(position + 1).toString(), "needs another module; add the dependency " + module.dependency());
        return true;
    }

    /** Returns the known property that resembles an unknown one, or {@code null}. */
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

    /** Checks unknown environment variables, which can be for another program. */
    private void checkVariables(List<String> variables) {
        Map<String, String> byLetters = new LinkedHashMap<>();
        known.forEach(name -> byLetters.put(name.toString().replaceAll("[^a-z0-9]", ""), name.toString()));
        for (String variable : variables) {
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
                checkVariable(variable, name.replaceFirst("(_\\d+)+_?$", "").replace("_", ""), byLetters);
            }
        }
    }

    private void checkVariable(String variable, String letters, Map<String, String> byLetters) {
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

    /** Returns the name as written in the file. */
    private static String written(ConfigurationProperty property) {
        ConfigurationPropertySource source = property.getSource();
        if (source != null && source.getUnderlyingSource() instanceof EnumerablePropertySource<?> names) {
            for (String name : names.getPropertyNames()) {
                if (ConfigurationPropertyName.adapt(name, '.').equals(property.getName())) {
                    return name;
                }
            }
        }
        return property.getName().toString();
    }
}
