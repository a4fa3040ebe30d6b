// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.spring.OnError;
import dev.retryon.spring.Place;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.declaration.Declaration;
import dev.retryon.spring.internal.expression.RetryExpressions;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.internal.settings.ErrorKey;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingGroup;
import dev.retryon.spring.module.SettingSource;
import dev.retryon.spring.module.StarterLog;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.util.ObjectUtils;
import org.springframework.util.PlaceholderResolutionException;
import org.springframework.util.ReflectionUtils;

/** Converts annotations into layers. Only this class knows which attribute values mean that a setting is not set. */
final class AnnotationReader {

    /** A gate in braces, which is evaluated once, at start-up, when its variables are null. Quoted variables are text. */
    private static final Pattern GATE_IN_BRACES = Pattern.compile("\\s*#\\{[^'\"]*#\\w.*}\\s*");

    private static final Pattern UNFIT_FOR_NAMES = Pattern.compile("[/\\p{Cntrl}]");

    private static final List<Attribute> ATTRIBUTES = Attribute.of(RetryOn.class, Setting.own(), Setting.EXCEPTIONS);

    private static final Map<Class<?>, List<Attribute>> ATTRIBUTES_OF_GROUPS = SettingGroup.all().stream()
            .collect(Collectors.toUnmodifiableMap(
                    SettingGroup::annotation,
                    group -> Attribute.of(
                            group.annotation(),
                            group.settings(),
                            group.settings().get(0))));

    private static final List<Attribute> ATTRIBUTES_OF_RULES = Attribute.of(OnError.class, Setting.ofRules(), null);

    private final ConfiguredLayers configured;

    private final RetryExpressions expressions;

    private final RetryFaults faults;

    /** Kept because built-in policies look up classes, many of which can be missing. */
    private final Map<String, List<RetrySettings>> policies = new ConcurrentHashMap<>();

    AnnotationReader(ConfiguredLayers configured, RetryExpressions expressions, RetryFaults faults) {
        this.configured = configured;
        this.expressions = expressions;
        this.faults = faults;
    }

    /** Returns the layers in the order of the annotations. A named policy is a layer below the annotation that names it. */
    List<RetrySettings> layers(List<Declaration> declarations) {
        List<RetrySettings> layers = new ArrayList<>();
        for (Declaration declaration : declarations) {
            SettingSource source = declaration.source();
            Place where = Place.code(source.describe());
            String policy = resolve(where, "policy", declaration.policy());
            if (!policy.isEmpty()) {
                layers.addAll(policy(where, policy));
            }
            layers.add(layer(declaration.annotation(), source, where));
        }
        return layers;
    }

    /** Returns an empty list and reports one fault if the policy does not exist or could not be read. */
    List<RetrySettings> policy(Place where, String name) {
        List<RetrySettings> layers = knownPolicy(where, name);
        layers.forEach(layer -> layer.faults().forEach(faults::add));
        return layers;
    }

    /** Reports one fault and returns an empty list if the policy, which is not necessarily used, does not exist. */
    List<RetrySettings> knownPolicy(Place where, String name) {
        List<RetrySettings> layers = policies.computeIfAbsent(name, configured::policy);
        boolean isUnread = faults.hasAnyBelow("retryon.policies." + name)
                || (configured.policies().isEmpty() && faults.hasAnyBelow("retryon.policies"));
        if (layers.isEmpty() && !isUnread) {
            faults.add(
                    where,
                    "policy is '" + name + "', but no policy has this name; use one of "
                            + String.join(", ", configured.policyNames()) + ", or configure retryon.policies." + name);
        }
        return layers;
    }

    /** Returns the name from the strongest annotation that sets one, or {@code null} if none does. */
    @Nullable String name(List<Declaration> declarations) {
        for (int i = declarations.size() - 1; i >= 0; i--) {
            String given = declarations.get(i).name();
            if (!given.isEmpty()) {
                Place where = declarations.get(i).place();
                String name = resolve(where, "name", given);
                String problem = problemOfName(given, name);
                if (problem != null) {
                    faults.add(where, problem);
                }
                if (!name.isEmpty()) {
                    return name;
                }
            }
        }
        return null;
    }

    /**
     * Returns the reason why a name cannot be used, or {@code null} if it can. {@code resolved} is the name without
     * placeholders.
     */
    static @Nullable String problemOfName(String given, String resolved) {
        return given.isBlank() || UNFIT_FOR_NAMES.matcher(resolved).find()
                ? "name is '" + StarterLog.plain(given)
                        + "', but must not be blank or contain a slash or a line break, because it is part of URLs;"
                        + " use a name such as payments.charge"
                : null;
    }

    private RetrySettings layer(Annotation annotation, SettingSource source, Place where) {
        Reading reading = new Reading(where);
        return reading.settings(annotation).from(source).withPlaceholders(reading.placeholders);
    }

    private String resolve(Place where, String attribute, String text) {
        try {
            return expressions.resolve(text).trim();
        } catch (RuntimeException ex) {
            faults.add(where, attribute + " is '" + text + "', but " + reason(ex));
            return "";
        }
    }

    private static String reason(RuntimeException ex) {
        if (ex instanceof PlaceholderResolutionException unresolved) {
            String property = unresolved.getPlaceholder();
            if (String.valueOf(ex.getMessage()).startsWith("Circular")) {
                return "property '" + property + "' refers to itself through placeholders";
            }
            return "property '" + property + "' is not set; set it, or add a default: ${" + property + ":…}";
        }
        return "cannot be resolved: "
                + NestedExceptionUtils.getMostSpecificCause(ex).getMessage();
    }

    /** An attribute of an annotation, which has no effect if it has its default value, {@code unset}. */
    private record Attribute(Setting<?> setting, Method method, Object unset) {

        /** Orders attributes like the settings. A text follows the number that it replaces. {@code value} sets {@code main}. */
        static List<Attribute> of(
                Class<? extends Annotation> type, Collection<Setting<?>> settings, @Nullable Setting<?> main) {
            return settings.stream()
                    .flatMap(setting -> names(setting, setting.equals(main))
                            .flatMap(name -> Stream.ofNullable(ReflectionUtils.findMethod(type, name)))
                            .map(method -> new Attribute(setting, method, method.getDefaultValue())))
                    .toList();
        }

        private static Stream<String> names(Setting<?> setting, boolean isMain) {
            String name = setting.localName();
            return isMain ? Stream.of("value", name) : Stream.of(name, name + "String");
        }

        void ifSet(Annotation annotation, BiConsumer<Setting<?>, Object> into) {
            Object value = Objects.requireNonNull(ReflectionUtils.invokeMethod(method, annotation));
            if (!ObjectUtils.nullSafeEquals(value, unset)) {
                into.accept(setting, value);
            }
        }
    }

    private final class Reading implements Consumer<String> {

        private final Place where;

        private final RetrySettings.Builder settings = RetrySettings.builder();

        private final Map<String, String> placeholders = new HashMap<>();

        Reading(Place where) {
            this.where = where;
        }

        RetrySettings settings(Annotation annotation) {
            ATTRIBUTES_OF_GROUPS
                    .getOrDefault(annotation.annotationType(), ATTRIBUTES)
                    .forEach(attribute -> attribute.ifSet(annotation, this::read));
            return settings.build();
        }

        private void read(Setting<?> setting, Object value) {
            if (value instanceof OnError[] rules) {
                Set<ErrorKey> seen = new HashSet<>();
                for (OnError rule : rules) {
                    Set<ErrorKey> errors = read(rule);
                    errors.stream()
                            .filter(error -> !seen.add(error))
                            .forEach(error ->
                                    accept("'errors' has two rules for " + error + "; merge them into one @OnError"));
                }
            } else if (value instanceof Class<?>[] types) {
                accept(setting, new LinkedHashSet<>(Arrays.asList(types)));
            } else if (value instanceof String[] texts) {
                Set<String> resolved = new LinkedHashSet<>();
                for (String text : texts) {
                    String item = resolved(setting, text);
                    if (!(item.isEmpty() && expressions.isResolvable(text))) {
                        resolved.add(item);
                    }
                    if (expressions.isResolvable(text)) {
                        placeholders.put(item, text);
                    }
                }
                accept(setting, resolved);
            } else {
                read(settings, setting, value.toString());
            }
        }

        /** Returns the errors of the rule. */
        private Set<ErrorKey> read(OnError rule) {
            Set<ErrorKey> errors = new LinkedHashSet<>();
            RetrySettings.Builder own = RetrySettings.builder();
            ATTRIBUTES_OF_RULES.forEach(
                    attribute -> attribute.ifSet(rule, (setting, value) -> read(own, setting, value.toString())));
            RetrySettings read = own.build();
            for (Class<? extends Throwable> type : rule.value()) {
                errors.add(ErrorKey.of(type));
            }
            for (String code : rule.codes()) {
                String resolved = resolved(Setting.ERRORS, code);
                if (!(resolved.isEmpty() && expressions.isResolvable(code))) {
                    errors.add(ErrorKey.ofCode(resolved));
                }
            }
            errors.forEach(error -> accept(Setting.ERRORS, Map.of(error, read)));
            if (rule.value().length + rule.codes().length == 0) {
                accept("'errors' has a rule without an error; write @OnError(ThrottledException.class, …) or"
                        + " @OnError(codes = \"http.503\", …)");
            }
            return errors;
        }

        @SuppressWarnings("unchecked") // the attribute of a setting has the type of its values
        private <T> void accept(Setting<T> setting, Object value) {
            settings.accept(setting, (T) value, this);
        }

        private void read(RetrySettings.Builder into, Setting<?> setting, String text) {
            if (Setting.expressions().contains(setting)
                    && GATE_IN_BRACES.matcher(text).matches()) {
                String trimmed = text.trim();
                accept(setting.attribute() + " is '" + text + "', but must be written without #{…}: '"
                        + trimmed.substring(2, trimmed.length() - 1).trim() + "'");
            } else {
                into.read(setting, resolved(setting, text), this);
            }
        }

        private String resolved(Setting<?> setting, String text) {
            return resolve(where, setting.attribute(), text);
        }

        @Override
        public void accept(String fault) {
            faults.add(where, fault);
        }
    }
}
