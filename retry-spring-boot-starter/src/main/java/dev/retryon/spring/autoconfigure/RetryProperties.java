// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.backoff.DurationText;
import dev.retryon.budget.RetryBudget;
import dev.retryon.spring.internal.actuate.RetryOnEventsEndpoint;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.internal.settings.RetryMode;
import dev.retryon.spring.internal.settings.RetryModule;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.RetryWarning;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.Ordered;

/**
 * Properties of RetryOn.
 *
 * @param enabled Whether to enable RetryOn.
 * @param mode How calls reach RetryOn: through bean proxies, or through code that AspectJ has woven into the methods.
 *     AspectJ requires the dependency dev.retryon:retry-aspects and a weaver.
 * @param order Order of the retry advice among the advisors of a bean. Advice with a lower value runs further outside.
 *     By default, retries run outside transactions and caching, and inside all other ordered advice.
 * @param defaults Settings for all retried methods.
 * @param policies Named policies, for @RetryOn(policy = "name").
 * @param methods Settings for one class, method or overload. These settings override annotations. Write keys as
 *     "[com.acme.Payments]", "[com.acme.Payments#charge]" or "[com.acme.Payments#charge(Order,String)]".
 * @param pointcuts AspectJ pointcut expressions that select methods to retry without annotations, by an id of your
 *     choice.
 * @param budgets Retry budgets, for @RetryOn(budget = "name").
 * @param checks What to do at start-up if properties have faults. Faults in code always stop the application.
 */
@ConfigurationProperties("retryon")
record RetryProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("proxy") RetryMode mode,
        @DefaultValue("" + RetryProperties.DEFAULT_ORDER) int order,
        @DefaultValue @NestedConfigurationProperty RetrySettingsProperties defaults,
        @DefaultValue Map<String, RetrySettingsProperties> policies,
        @DefaultValue Map<String, RetrySettingsProperties> methods,
        @DefaultValue Map<String, Pointcut> pointcuts,
        @DefaultValue Map<String, RetryBudgetProperties> budgets,
        @DefaultValue("fail") Checks checks,
        @DefaultValue Warnings warnings,
        @DefaultValue Limits limits,
        @DefaultValue Metrics metrics,
        @DefaultValue Log log,
        @DefaultValue Events events,
        @DefaultValue Reactive reactive) {

    static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    /** The name of the bean, which Spring Boot derives from the prefix and the class. */
    static final String BEAN = "retryon-dev.retryon.spring.autoconfigure.RetryProperties";

    ConfiguredLayers toLayers(GroupProperties groups, RetryFaults faults) {
        pointcuts.forEach((id, pointcut) -> {
            if (!pointcut.hasExpression()) {
                faults.add(
                        "retryon.pointcuts." + id + ".expression",
                        "is not set, but must be an AspectJ pointcut expression");
            }
        });
        for (String code : PropertyReader.texts(warnings.ignore())) {
            if (!RetryWarning.isCode(code)) {
                faults.add(
                        "retryon.warnings.ignore",
                        "contains '" + code + "', which is not a warning code; use a code such as W07");
            }
        }
        Integer limit = limits.maxAttempts();
        if (limit != null && limit < 1) {
            faults.add("retryon.limits.max-attempts", "is '" + limit + "', but must be at least 1");
            limit = null;
        }
        if (metrics.maxTagValues() < 1) {
            faults.add("retryon.metrics.max-tag-values", "is '" + metrics.maxTagValues() + "', but must be at least 1");
        }
        if (!events.hasAllowedCapacity()) {
            faults.add(
                    "retryon.events.capacity",
                    "is '" + events.capacity() + "', but must be between 1 and " + RetryOnEventsEndpoint.MAX_CAPACITY);
        }
        if (mode == RetryMode.ASPECTJ && !mode.isWoven()) {
            faults.add(
                    "retryon.mode",
                    "is 'aspectj', but this mode needs another module; add the dependency "
                            + RetryModule.ASPECTS.dependency());
        }
        if (log.interval().isNegative()) {
            faults.add(
                    "retryon.log.interval",
                    "is '" + DurationText.print(log.interval()) + "', but must not be negative");
        }
        Map<String, RetryBudget.Builder> builders = new LinkedHashMap<>();
        budgets.forEach((name, budget) -> builders.put(name, budget.toBuilder("retryon.budgets." + name, faults)));
        return new ConfiguredLayers(
                defaults.toLayer(SettingSource.DEFAULTS, groups.in("retryon.defaults"), faults),
                toLayers(SettingSource::policy, policies, groups.below("retryon.policies"), faults),
                toLayers(SettingSource::methods, methods, groups.below("retryon.methods"), faults),
                builders,
                limit);
    }

    private static Map<String, RetrySettings> toLayers(
            Function<String, SettingSource> source,
            Map<String, RetrySettingsProperties> settings,
            Map<String, Map<Setting<?>, String>> groups,
            RetryFaults faults) {
        Map<String, RetrySettings> layers = new LinkedHashMap<>();
        settings.forEach((key, block) ->
                layers.put(key, block.toLayer(source.apply(key), groups.getOrDefault(key, Map.of()), faults)));
        groups.forEach((key, texts) ->
                layers.computeIfAbsent(key, missing -> PropertyReader.layer(source.apply(key), texts, faults)));
        return layers;
    }

    /** How faults in properties are treated at start-up. */
    enum Checks {
        /** Faults stop the application. */
        FAIL,

        /** Faults are logged as warnings, and the affected properties are ignored. */
        WARN
    }

    /**
     * Methods to retry without annotations.
     *
     * @param expression AspectJ pointcut expression, such as "execution(* com.acme.StockClient.*(..))".
     * @param policy Name of a policy in retryon.policies. If not set, the id of this pointcut is used.
     */
    record Pointcut(@Nullable String expression, @Nullable String policy) {

        boolean hasExpression() {
            return expression != null && !expression.isBlank();
        }
    }

    /**
     * Warnings at start-up.
     *
     * @param ignore Codes of warnings that are not logged, such as W07.
     */
    record Warnings(@DefaultValue List<String> ignore) {}

    /**
     * Upper limits for values of annotations, properties and calls.
     *
     * @param maxAttempts Upper limit for the maximum number of attempts, at least 1. Larger values are reduced to this
     *     limit with a warning. If not set, there is no limit.
     */
    record Limits(@Nullable Integer maxAttempts) {}

    /**
     * Meters.
     *
     * @param enabled Whether to register meters for retries if Micrometer is on the class path.
     * @param maxTagValues Maximum number of different names, and of different exceptions, that meters and endpoints
     *     show, at least 1. The names of methods and configured policies, and exceptions listed in settings, are not
     *     limited. Further names and exceptions are counted as 'other'.
     */
    record Metrics(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("500") int maxTagValues) {}

    /**
     * Methods that return publishers.
     *
     * @param resubscribeAfterEmission Whether to retry a stream from its start if it fails after it has emitted an
     *     item. If the stream is retried, the subscriber receives items twice. Otherwise, the subscriber receives the
     *     failure.
     */
    record Reactive(@DefaultValue("false") boolean resubscribeAfterEmission) {}

    /**
     * Log lines about retried calls, and the log context of attempts.
     *
     * @param interval Minimum time, 0 or more, between two log lines about calls that have the same name and end in the
     *     same way. Lines in between are omitted, and the next line contains their number. With 0, every line is
     *     written.
     * @param firstAttempt Whether the log context of the first attempt also contains retry.name, retry.attempt and
     *     retry.max-attempts.
     */
    record Log(
            @DefaultValue("1s") Duration interval,
            @DefaultValue("false") boolean firstAttempt) {}

    /**
     * The latest events, which the retryonevents endpoint shows.
     *
     * @param capacity Number of latest events that are kept in memory, from 1 to 100000.
     */
    record Events(@DefaultValue("200") int capacity) {

        boolean hasAllowedCapacity() {
            return capacity >= 1 && capacity <= RetryOnEventsEndpoint.MAX_CAPACITY;
        }
    }
}
