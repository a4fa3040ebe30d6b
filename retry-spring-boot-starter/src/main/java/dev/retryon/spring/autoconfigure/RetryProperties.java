// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.backoff.DurationText;
import dev.retryon.budget.RetryBudget;
import dev.retryon.spring.internal.actuate.RetryOnEventsEndpoint;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.report.RetryWarning;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.internal.settings.RetryLayer;
import dev.retryon.spring.internal.settings.RetryMode;
import dev.retryon.spring.internal.settings.RetryModule;
import dev.retryon.spring.internal.settings.RetrySettings;
import dev.retryon.spring.internal.settings.SettingSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.core.Ordered;

/** Properties of RetryOn. */
@ConfigurationProperties("retryon")
class RetryProperties {

    static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    /** Whether to enable RetryOn. */
    private boolean enabled = true;

    /**
     * How calls reach RetryOn: through proxies of beans, or through code that AspectJ has woven into the methods. AspectJ
     * needs the dependency dev.retryon:retry-aspects and a weaver.
     */
    private RetryMode mode = RetryMode.PROXY;

    /**
     * Order of the retry advice among the advisors of a bean. A lower value runs further outside. The default runs
     * outside transactions and caching, and inside all other ordered advice.
     */
    private int order = DEFAULT_ORDER;

    /** Settings for all retried methods. */
    @NestedConfigurationProperty
    private @Nullable RetrySettingsProperties defaults;

    /** Named policies, for @RetryOn(policy = "name"). */
    private final Map<String, RetrySettingsProperties> policies = new LinkedHashMap<>();

    /**
     * Settings for one class, method or overload. They override annotations. Keys: "[com.acme.Payments]",
     * "[com.acme.Payments#charge]", "[com.acme.Payments#charge(Order,String)]".
     */
    private final Map<String, RetrySettingsProperties> methods = new LinkedHashMap<>();

    /** AspectJ pointcut expressions for methods to retry without annotations, by an id of your choice. */
    private final Map<String, Pointcut> pointcuts = new LinkedHashMap<>();

    /** Retry budgets, for @RetryOn(budget = "name"). */
    private final Map<String, RetryBudgetProperties> budgets = new LinkedHashMap<>();

    /** What to do at start-up if properties have faults. Faults in code always stop the application. */
    private StartupChecks checks = StartupChecks.FAIL;

    private final Warnings warnings = new Warnings();

    private final Limits limits = new Limits();

    private final Metrics metrics = new Metrics();

    private final Log log = new Log();

    private final Events events = new Events();

    private final Reactive reactive = new Reactive();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public RetryMode getMode() {
        return mode;
    }

    public void setMode(RetryMode mode) {
        this.mode = mode;
    }

    public int getOrder() {
        return order;
    }

    public void setOrder(int order) {
        this.order = order;
    }

    public @Nullable RetrySettingsProperties getDefaults() {
        return defaults;
    }

    public void setDefaults(@Nullable RetrySettingsProperties defaults) {
        this.defaults = defaults;
    }

    public Map<String, RetrySettingsProperties> getPolicies() {
        return policies;
    }

    public Map<String, RetrySettingsProperties> getMethods() {
        return methods;
    }

    public Map<String, Pointcut> getPointcuts() {
        return pointcuts;
    }

    public Map<String, RetryBudgetProperties> getBudgets() {
        return budgets;
    }

    public StartupChecks getChecks() {
        return checks;
    }

    public void setChecks(StartupChecks checks) {
        this.checks = checks;
    }

    public Warnings getWarnings() {
        return warnings;
    }

    public Limits getLimits() {
        return limits;
    }

    public Metrics getMetrics() {
        return metrics;
    }

    public Log getLog() {
        return log;
    }

    public Events getEvents() {
        return events;
    }

    public Reactive getReactive() {
        return reactive;
    }

    ConfiguredLayers toLayers(RetryFaults faults) {
        pointcuts.forEach((id, pointcut) -> {
            if (!pointcut.hasExpression()) {
                faults.add(
                        "retryon.pointcuts." + id + ".expression",
                        "is not set, but must be an AspectJ pointcut expression");
            }
        });
        for (String code : PropertyReader.texts(warnings.getIgnore())) {
            if (!RetryWarning.isCode(code)) {
                faults.add(
                        "retryon.warnings.ignore",
                        "has '" + code + "', which is not the code of a warning; write a code such as W07");
            }
        }
        Integer limit = limits.getMaxAttempts();
        if (limit != null && limit < 1) {
            faults.add("retryon.limits.max-attempts", "is '" + limit + "', but must be at least 1");
            limit = null;
        }
        if (metrics.getMaxTagValues() < 1) {
            faults.add(
                    "retryon.metrics.max-tag-values", "is '" + metrics.getMaxTagValues() + "', but must be at least 1");
        }
        if (!events.hasAllowedCapacity()) {
            faults.add(
                    "retryon.events.capacity",
                    "is '" + events.getCapacity() + "', but must be from 1 to " + RetryOnEventsEndpoint.MAX_CAPACITY);
        }
        if (mode == RetryMode.ASPECTJ && !mode.isWoven()) {
            faults.add(
                    "retryon.mode",
                    "is 'aspectj', but this needs a module; add the dependency " + RetryModule.ASPECTS.dependency());
        }
        if (log.getInterval().isNegative()) {
            faults.add(
                    "retryon.log.interval",
                    "is '" + DurationText.print(log.getInterval()) + "', but must not be negative");
        }
        Map<String, RetryBudget.Builder> builders = new LinkedHashMap<>();
        budgets.forEach((name, budget) -> builders.put(name, budget.toBuilder("retryon.budgets." + name, faults)));
        return new ConfiguredLayers(
                defaults == null
                        ? new RetryLayer(SettingSource.DEFAULTS, RetrySettings.NONE)
                        : defaults.toLayer(SettingSource.DEFAULTS, faults),
                toLayers(SettingSource::policy, policies, faults),
                toLayers(SettingSource::methods, methods, faults),
                builders,
                limit);
    }

    private static Map<String, RetryLayer> toLayers(
            Function<String, SettingSource> source, Map<String, RetrySettingsProperties> settings, RetryFaults faults) {
        Map<String, RetryLayer> layers = new LinkedHashMap<>();
        settings.forEach((key, block) -> layers.put(key, block.toLayer(source.apply(key), faults)));
        return layers;
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

    /** Warnings at start-up. */
    static class Warnings {

        /** Codes of warnings not to log, such as W07. */
        private List<String> ignore = new ArrayList<>();

        public List<String> getIgnore() {
            return ignore;
        }

        public void setIgnore(List<String> ignore) {
            this.ignore = ignore;
        }
    }

    /** Upper limits for values of annotations, properties and calls. */
    static class Limits {

        /**
         * Upper limit for the maximum number of attempts, at least 1. Larger values are lowered to it with a warning.
         * If not set, there is no limit.
         */
        private @Nullable Integer maxAttempts;

        public @Nullable Integer getMaxAttempts() {
            return maxAttempts;
        }

        public void setMaxAttempts(@Nullable Integer maxAttempts) {
            this.maxAttempts = maxAttempts;
        }
    }

    /** Meters. */
    static class Metrics {

        /** Whether to register meters for retries if Micrometer is on the class path. */
        private boolean enabled = true;

        /**
         * Number of different names, and of different exceptions, that meters and endpoints show, at least 1. Names of
         * methods and configured policies, and exceptions listed in settings, are not limited. Further ones are counted
         * as 'other'.
         */
        private int maxTagValues = 500;

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public int getMaxTagValues() {
            return maxTagValues;
        }

        public void setMaxTagValues(int maxTagValues) {
            this.maxTagValues = maxTagValues;
        }
    }

    /** Methods that return publishers. */
    static class Reactive {

        /**
         * Whether to retry a stream from its start if it fails after it has emitted an item. The subscriber then
         * receives items twice. Otherwise the subscriber receives the failure.
         */
        private boolean resubscribeAfterEmission;

        public boolean isResubscribeAfterEmission() {
            return resubscribeAfterEmission;
        }

        public void setResubscribeAfterEmission(boolean resubscribeAfterEmission) {
            this.resubscribeAfterEmission = resubscribeAfterEmission;
        }
    }

    /** Log lines about retried calls, and the log context of attempts. */
    static class Log {

        /**
         * Minimum time between two log lines about calls of one name that end in the same way, 0 or more. Lines in
         * between are omitted, and the next line has their number. 0 writes every line.
         */
        private Duration interval = Duration.ofSeconds(1);

        /** Whether to add retry.name, retry.attempt and retry.max-attempts to the log context of the first attempt too. */
        private boolean firstAttempt;

        public Duration getInterval() {
            return interval;
        }

        public void setInterval(Duration interval) {
            this.interval = interval;
        }

        public boolean isFirstAttempt() {
            return firstAttempt;
        }

        public void setFirstAttempt(boolean firstAttempt) {
            this.firstAttempt = firstAttempt;
        }
    }

    /** Recent events, for the retryonevents endpoint. */
    static class Events {

        /** Number of latest events to keep in memory, from 1 to 100000. */
        private int capacity = 200;

        public int getCapacity() {
            return capacity;
        }

        public void setCapacity(int capacity) {
            this.capacity = capacity;
        }

        boolean hasAllowedCapacity() {
            return capacity >= 1 && capacity <= RetryOnEventsEndpoint.MAX_CAPACITY;
        }
    }
}
