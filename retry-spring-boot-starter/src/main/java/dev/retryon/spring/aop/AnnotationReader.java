package dev.retryon.spring.aop;

import dev.retryon.OnExhaustion;
import dev.retryon.spring.Flag;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.expression.RetryExpressions;
import dev.retryon.spring.settings.ConfiguredLayers;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.settings.RetryLayer;
import dev.retryon.spring.settings.RetrySettings;
import dev.retryon.spring.settings.SettingKey;
import dev.retryon.spring.settings.Suggestion;
import java.lang.reflect.AnnotatedElement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.PlaceholderResolutionException;

/** Turns annotations into layers. The one place that knows how an annotation says nothing. */
final class AnnotationReader {

    private final ConfiguredLayers configured;

    private final RetryExpressions expressions;

    private final RetryFaults faults;

    AnnotationReader(ConfiguredLayers configured, RetryExpressions expressions, RetryFaults faults) {
        this.configured = configured;
        this.expressions = expressions;
        this.faults = faults;
    }

    /** The layers of some annotations, in their order; a named policy is a layer below the annotation that names it. */
    List<RetryLayer> layers(List<MergedAnnotation<RetryOn>> annotations) {
        List<RetryLayer> layers = new ArrayList<>();
        for (MergedAnnotation<RetryOn> annotation : annotations) {
            String where = where(annotation);
            RetryOn declared;
            try {
                declared = declared(annotation);
            } catch (RuntimeException ex) {
                faults.add(where, String.valueOf(ex.getMessage()));
                continue;
            }
            String policy = resolve(where, "policy", declared.policy());
            if (!policy.isEmpty()) {
                RetryLayer named = policy(where, policy);
                if (named != null) {
                    layers.add(named);
                }
            }
            layers.add(new RetryLayer(where, settings(where, declared)));
        }
        return layers;
    }

    /**
     * What was written. An annotation that stands on the element itself says it all, but for the two names of its types;
     * Spring's merged view of it takes several times as long to make and to read.
     */
    private static RetryOn declared(MergedAnnotation<RetryOn> annotation) {
        RetryOn written = annotation.getDistance() == 0 && annotation.getSource() instanceof AnnotatedElement element
                ? element.getDeclaredAnnotation(RetryOn.class)
                : null;
        return written != null ? written : annotation.synthesize();
    }

    /** A named policy; {@code null}, and a fault, if there is none of that name. */
    @Nullable RetryLayer policy(String where, String name) {
        RetryLayer layer = configured.policies().get(name);
        if (layer == null) {
            faults.add(
                    where,
                    "policy is '" + name + "', but "
                            + (configured.policies().isEmpty()
                                    ? "no policies are configured under retry.policies"
                                    : "must be one of those under retry.policies: "
                                            + new TreeSet<>(
                                                    configured.policies().keySet())
                                            + Suggestion.of(
                                                    name, configured.policies().keySet())));
        }
        return layer;
    }

    /** The name that the strongest annotation with one gives; empty if none does. */
    String name(List<MergedAnnotation<RetryOn>> annotations) {
        for (int i = annotations.size() - 1; i >= 0; i--) {
            MergedAnnotation<RetryOn> annotation = annotations.get(i);
            String given = annotation.getString("name");
            String name = given.isEmpty() ? given : resolve(where(annotation), "name", given);
            if (!name.isEmpty()) {
                return name;
            }
        }
        return "";
    }

    private RetrySettings settings(String where, RetryOn declared) {
        RetrySettings.Builder said = RetrySettings.builder();
        Consumer<String> onFault = fault -> faults.add(where, fault);
        said.accept(SettingKey.EXCEPTIONS, types(declared), onFault);
        said.accept(SettingKey.EXCLUDES, Arrays.asList(declared.excludes()), onFault);
        List<String> patterns = new ArrayList<>();
        for (String pattern : declared.nonRetryableErrors()) {
            patterns.add(resolve(where, SettingKey.NON_RETRYABLE_ERRORS.attribute(), pattern));
        }
        said.accept(SettingKey.NON_RETRYABLE_ERRORS, patterns, onFault);
        // The texts come second and replace the numbers, unless a placeholder leaves them empty.
        if (declared.maxAttempts() != RetryOn.INHERIT) {
            said.accept(SettingKey.MAX_ATTEMPTS, declared.maxAttempts(), onFault);
        }
        read(where, said, SettingKey.MAX_ATTEMPTS, declared.maxAttemptsString());
        if (!Double.isNaN(declared.multiplier())) {
            said.accept(SettingKey.MULTIPLIER, declared.multiplier(), onFault);
        }
        read(where, said, SettingKey.MULTIPLIER, declared.multiplierString());
        if (declared.retryable() != Flag.INHERIT) {
            said.retryable(declared.retryable() == Flag.TRUE);
        }
        if (declared.onExhaustion() != OnExhaustion.INHERIT) {
            said.onExhaustion(declared.onExhaustion());
        }
        read(where, said, SettingKey.BACKOFF, declared.backoff());
        read(where, said, SettingKey.DELAY, declared.delay());
        read(where, said, SettingKey.MAX_DELAY, declared.maxDelay());
        read(where, said, SettingKey.JITTER, declared.jitter());
        read(where, said, SettingKey.TIMEOUT, declared.timeout());
        read(where, said, SettingKey.ATTEMPT_TIMEOUT, declared.attemptTimeout());
        read(where, said, SettingKey.BUDGET, declared.budget());
        read(where, said, SettingKey.ONLY_IF, declared.onlyIf());
        read(where, said, SettingKey.UNLESS, declared.unless());
        read(where, said, SettingKey.RETRY_IF, declared.retryIf());
        read(where, said, SettingKey.RECOVER, declared.recover());
        return said.build();
    }

    /** Of the two names for the types one is empty, or both say the same. */
    private static List<Class<? extends Throwable>> types(RetryOn declared) {
        return List.of(declared.exceptions().length > 0 ? declared.exceptions() : declared.value());
    }

    private void read(String where, RetrySettings.Builder said, SettingKey key, String text) {
        if (!text.isEmpty()) {
            said.read(key, resolve(where, key.attribute(), text), fault -> faults.add(where, fault));
        }
    }

    private String resolve(String where, String attribute, String text) {
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
            return "no property is called '" + property + "': set it, or give a default, ${" + property + ":…}";
        }
        return "can't be resolved: "
                + NestedExceptionUtils.getMostSpecificCause(ex).getMessage();
    }

    private static String where(MergedAnnotation<RetryOn> annotation) {
        Class<?> root = annotation.getRoot().getType();
        String name = root == RetryOn.List.class ? RetryOn.class.getSimpleName() : root.getSimpleName();
        AnnotatedElement source =
                Objects.requireNonNull((AnnotatedElement) annotation.getRoot().getSource());
        return "@" + name + " on " + RetryDeclarations.place(source);
    }
}
