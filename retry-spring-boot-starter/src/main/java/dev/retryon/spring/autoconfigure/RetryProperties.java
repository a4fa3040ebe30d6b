/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.backoff.DurationText;
import dev.retryon.budget.RetryBudget;
import dev.retryon.spring.actuate.RetryOnEventsEndpoint;
import dev.retryon.spring.settings.ConfiguredLayers;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.settings.RetryLayer;
import dev.retryon.spring.settings.SettingSource;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/** Properties of retries. */
@ConfigurationProperties("retryon")
class RetryProperties {

    /** By default outside transactions and caching, which are innermost, and inside all else that has an order. */
    static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    /** Whether @RetryOn does anything; if not, no bean is proxied for it. */
    private boolean enabled = true;

    /** Order of the retry advice among the advisors of a bean. Lower is further out. */
    private int order = DEFAULT_ORDER;

    /** Settings for all retried methods. */
    @NestedConfigurationProperty
    private final RetrySettingsProperties defaults = new RetrySettingsProperties();

    /** Named policies, for @RetryOn(policy = "name"). */
    private final Map<String, RetrySettingsProperties> policies = new LinkedHashMap<>();

    /**
     * The operator's word for a class, a method or an overload: "[com.acme.Payments]", "[com.acme.Payments#charge]",
     * "[com.acme.Payments#charge(Order,String)]".
     */
    private final Map<String, RetrySettingsProperties> methods = new LinkedHashMap<>();

    /** AspectJ pointcut expressions that retry methods without annotations, by an id of your own. */
    private final Map<String, Pointcut> pointcuts = new LinkedHashMap<>();

    /** Retry budgets, for @RetryOn(budget = "name"). */
    private final Map<String, Budget> budgets = new LinkedHashMap<>();

    /** What to do at start-up if properties have faults. Faults in code always end the start. */
    private StartupChecks checks = StartupChecks.FAIL;

    @NestedConfigurationProperty
    private final RetryWarningsProperties warnings = new RetryWarningsProperties();

    private final Limits limits = new Limits();

    private final Metrics metrics = new Metrics();

    private final Log log = new Log();

    private final Events events = new Events();

    private final Reactive reactive = new Reactive();

    @NestedConfigurationProperty
    private final RetryHttpProperties http = new RetryHttpProperties();

    @NestedConfigurationProperty
    private final RetryDeadLetterProperties deadLetter = new RetryDeadLetterProperties();

    @NestedConfigurationProperty
    private final RetryDurableProperties durable = new RetryDurableProperties();

    @NestedConfigurationProperty
    private final RetryJdbcProperties jdbc = new RetryJdbcProperties();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public int getOrder() {
        return order;
    }

    public void setOrder(int order) {
        this.order = order;
    }

    public RetrySettingsProperties getDefaults() {
        return defaults;
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

    public Map<String, Budget> getBudgets() {
        return budgets;
    }

    public StartupChecks getChecks() {
        return checks;
    }

    public void setChecks(StartupChecks checks) {
        this.checks = checks;
    }

    public RetryWarningsProperties getWarnings() {
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

    public RetryHttpProperties getHttp() {
        return http;
    }

    public RetryDeadLetterProperties getDeadLetter() {
        return deadLetter;
    }

    public RetryDurableProperties getDurable() {
        return durable;
    }

    public RetryJdbcProperties getJdbc() {
        return jdbc;
    }

    /** Records a fault for each setting of stored calls that has no effect. */
    void checkStoreSettings(ConfigurableListableBeanFactory beanFactory, RetryFaults faults) {
        boolean hasHealth = ClassUtils.isPresent(
                "org.springframework.boot.health.contributor.HealthIndicator", beanFactory.getBeanClassLoader());
        deadLetter.checkNeeds(() -> DurableMethods.keepsDeadLetters(beanFactory), hasHealth, faults);
        jdbc.check(beanFactory.containsBeanDefinition("retryOnSharedSettings"), faults);
    }

    ConfiguredLayers toLayers(RetryFaults faults) {
        Map<String, ConfiguredLayers.PointcutPolicy> expressions = new LinkedHashMap<>();
        for (Map.Entry<String, Pointcut> entry : pointcuts.entrySet()) {
            String id = entry.getKey();
            Pointcut pointcut = entry.getValue();
            String source = "retryon.pointcuts." + id;
            if (pointcut.getExpression() == null || pointcut.getExpression().isBlank()) {
                faults.add(source + ".expression", "is not set, but must be an AspectJ pointcut expression");
            } else {
                expressions.put(
                        id,
                        new ConfiguredLayers.PointcutPolicy(
                                source,
                                pointcut.getExpression(),
                                pointcut.getPolicy() == null ? id : pointcut.getPolicy()));
            }
        }
        Integer limit = limits.getMaxAttempts();
        if (limit != null && limit < 1) {
            faults.add("retryon.limits.max-attempts", "is '" + limit + "', but must be at least 1");
            limit = null;
        }
        if (events.getCapacity() < 1 || events.getCapacity() > RetryOnEventsEndpoint.MAX_CAPACITY) {
            faults.add(
                    "retryon.events.capacity",
                    "is '" + events.getCapacity() + "', but must be from 1 to " + RetryOnEventsEndpoint.MAX_CAPACITY);
        }
        durable.check(faults);
        if (log.getInterval().isNegative()) {
            faults.add(
                    "retryon.log.interval",
                    "is '" + DurationText.print(log.getInterval()) + "', but must not be negative");
        }
        deadLetter.check(faults);
        return new ConfiguredLayers(
                defaults.toLayer(SettingSource.defaults(), faults),
                toLayers(SettingSource::policy, policies, faults),
                toLayers(SettingSource::methods, methods, faults),
                expressions,
                ConfiguredBudgets.builders(budgets, faults),
                limit);
    }

    private static Map<String, RetryLayer> toLayers(
            Function<String, SettingSource> source, Map<String, RetrySettingsProperties> settings, RetryFaults faults) {
        Map<String, RetryLayer> layers = new LinkedHashMap<>();
        for (Map.Entry<String, RetrySettingsProperties> entry : settings.entrySet()) {
            String key = entry.getKey();
            layers.put(key, entry.getValue().toLayer(source.apply(key), faults));
        }
        return layers;
    }

    /** Methods without annotations. */
    static class Pointcut {

        /** AspectJ pointcut expression, such as "execution(* com.acme.StockClient.*(..))". */
        private @Nullable String expression;

        /** Name of a policy under retryon.policies. Default: the id of this pointcut. */
        private @Nullable String policy;

        public @Nullable String getExpression() {
            return expression;
        }

        public void setExpression(@Nullable String expression) {
            this.expression = expression;
        }

        public @Nullable String getPolicy() {
            return policy;
        }

        public void setPolicy(@Nullable String policy) {
            this.policy = policy;
        }
    }

    /** A retry budget. */
    static class Budget {

        /** Retries allowed per call. */
        private double ratio = RetryBudget.DEFAULT_RATIO;

        /** Retries per second that are allowed however few the calls are. */
        private int minPerSecond = RetryBudget.DEFAULT_MIN_PER_SECOND;

        /** For how long a call counts. */
        private Duration window = RetryBudget.DEFAULT_WINDOW;

        public double getRatio() {
            return ratio;
        }

        public void setRatio(double ratio) {
            this.ratio = ratio;
        }

        public int getMinPerSecond() {
            return minPerSecond;
        }

        public void setMinPerSecond(int minPerSecond) {
            this.minPerSecond = minPerSecond;
        }

        public Duration getWindow() {
            return window;
        }

        public void setWindow(Duration window) {
            this.window = window;
        }
    }

    /** Ceilings for what annotations, properties and calls set. */
    static class Limits {

        /** Largest number of attempts; larger ones are lowered to it, with a warning. Default: no limit. */
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

        /** Whether retries are metered when Micrometer is there. */
        private boolean enabled = true;

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }
    }

    /** Methods that return publishers. */
    static class Reactive {

        /**
         * Whether a stream that fails after it has emitted something is retried from its start, so that its subscriber sees
         * items twice. If not, such a failure goes to the subscriber.
         */
        private boolean resubscribeAfterEmission;

        public boolean isResubscribeAfterEmission() {
            return resubscribeAfterEmission;
        }

        public void setResubscribeAfterEmission(boolean resubscribeAfterEmission) {
            this.resubscribeAfterEmission = resubscribeAfterEmission;
        }
    }

    /** Lines about retried calls, and the log context of attempts. */
    static class Log {

        /**
         * How long lines about calls of one name that end in the same way are held back after one was written. The latest of
         * them is written at the end, with the number of the others. 0 writes every line.
         */
        private Duration interval = Duration.ofSeconds(1);

        /** Whether the first attempt has retry.name, retry.attempt and retry.max-attempts in the log context too. */
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

        /** How many of the latest events are kept in memory, from 1 to 100000. */
        private int capacity = 200;

        public int getCapacity() {
            return capacity;
        }

        public void setCapacity(int capacity) {
            this.capacity = capacity;
        }
    }
}
