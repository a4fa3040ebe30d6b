/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.actuate;

import dev.retryon.RetryPolicy;
import dev.retryon.spring.method.CallCounters;
import dev.retryon.spring.method.RetriedMethod;
import dev.retryon.spring.method.RetriedMethods;
import dev.retryon.spring.settings.EffectiveSettings;
import dev.retryon.spring.settings.SettingKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * What is retried, under which policy, who said so, and how it went: {@code /actuator/retryon} and {@code
 * /actuator/retryon/{name}}. Shows classes of errors, never their messages.
 */
@Endpoint(id = "retryon")
public class RetryOnEndpoint {

    /** For so many retries the waits are shown. */
    private static final int SCHEDULED = 10;

    private static final String LIMIT = "retryon.limits.max-attempts";

    private final RetriedMethods methods;

    private final RetryStatistics statistics;

    private final boolean successesCounted;

    /**
     * Creates the endpoint.
     *
     * @param methods the retried methods
     * @param statistics how it went
     * @param successesCounted whether calls that succeed at once are counted
     */
    public RetryOnEndpoint(RetriedMethods methods, RetryStatistics statistics, boolean successesCounted) {
        this.methods = methods;
        this.statistics = statistics;
        this.successesCounted = successesCounted;
    }

    /**
     * Everything that is retried.
     *
     * @return by name, sorted
     */
    @ReadOperation
    public Retries retries() {
        Map<String, List<RetriedMethod>> byName = new LinkedHashMap<>();
        methods.all()
                .forEach(method -> byName.computeIfAbsent(method.name(), missing -> new ArrayList<>())
                        .add(method));
        Set<String> names = new TreeSet<>(byName.keySet());
        names.addAll(statistics.names());
        return new Retries(names.stream()
                .map(name -> describe(name, byName.getOrDefault(name, List.of())))
                .toList());
    }

    /**
     * What is retried under one name.
     *
     * @param name the name, such as {@code PaymentService.charge}
     * @return its description, or {@code null} if there is no such name
     */
    @ReadOperation
    public @Nullable Retried retried(@Selector String name) {
        List<RetriedMethod> named = methods.named(name);
        return named.isEmpty() && !statistics.names().contains(name) ? null : describe(name, named);
    }

    private Retried describe(String name, List<RetriedMethod> named) {
        RetryStatistics.Counts counts = statistics.of(name);
        Optional<CallCounters> counters = methods.knownCounters(name);
        Long successes = counters.filter(known -> successesCounted)
                .map(known -> known.successes().sum())
                .orElse(null);
        return new Retried(
                name,
                new Calls(successes, counts.successesAfterRetry(), counts.recovered(), counts.failed()),
                counts.retries(),
                counters.map(known -> known.waiting().sum()).orElse(0L),
                counts.lastFailure(),
                named.stream().map(RetryOnEndpoint::describe).toList());
    }

    private static RetriedMethodDescription describe(RetriedMethod method) {
        Map<String, Setting> settings = new LinkedHashMap<>();
        method.settings().values().forEach((key, value) -> settings.put(key.attribute(), setting(key, value, method)));
        List<Wait> schedule = new ArrayList<>();
        for (RetryPolicy.DelayRange range : method.policy().schedule(SCHEDULED)) {
            schedule.add(new Wait(
                    schedule.size() + 1,
                    range.shortest().toString(),
                    range.longest().toString()));
        }
        return new RetriedMethodDescription(
                method.beanClass().getName(),
                method.signature(),
                settings,
                schedule,
                method.policy().dependsOnCall());
    }

    private static Setting setting(SettingKey key, EffectiveSettings.Value value, RetriedMethod method) {
        if (key == SettingKey.MAX_ATTEMPTS
                && !value.value().equals(method.policy().maxAttempts())) {
            int attempts = method.policy().maxAttempts();
            List<String> sources = new ArrayList<>(value.sources());
            if (attempts < (Integer) value.value()) {
                sources.add(LIMIT);
            }
            return new Setting(attempts, sources);
        }
        return new Setting(plain(value.value()), value.sources());
    }

    /** A value of types that every JSON mapper writes alike. */
    private static Object plain(Object value) {
        if (value instanceof Collection<?> items) {
            return items.stream().map(RetryOnEndpoint::plain).toList();
        }
        if (value instanceof Class<?> type) {
            return type.getName();
        }
        if (value instanceof Enum<?> constant) {
            return constant.name().toLowerCase(Locale.ROOT);
        }
        boolean plain = value instanceof Number || value instanceof Boolean;
        return plain ? value : value instanceof Duration duration ? duration.toString() : String.valueOf(value);
    }

    /**
     * Everything that is retried.
     *
     * @param retries by name, sorted
     */
    public record Retries(List<Retried> retries) implements OperationResponseBody {}

    /**
     * What is retried under one name. Counts begin at the start of the application.
     *
     * @param name the name in meters, events and logs
     * @param calls calls that have ended
     * @param retries retries of all those calls, and of calls under way
     * @param waiting calls that wait for their next attempt at this moment
     * @param lastFailure the latest call that failed; {@code null} if none did
     * @param methods the methods of that name; empty if only {@code Retry} is used with it
     */
    public record Retried(
            String name,
            Calls calls,
            long retries,
            long waiting,
            RetryStatistics.@Nullable LastFailure lastFailure,
            List<RetriedMethodDescription> methods)
            implements OperationResponseBody {}

    /**
     * Calls that have ended.
     *
     * @param success those that succeeded at once; {@code null} if nobody counts them, that is if {@code
     *     retryon.metrics.enabled} is {@code false}
     * @param successAfterRetry those that succeeded at a later attempt
     * @param recovered those that failed and were served by a recovery method, by reason; reasons that never occurred are
     *     missing
     * @param failure those that failed, by reason; reasons that never occurred are missing
     */
    public record Calls(
            @Nullable Long success, long successAfterRetry, Map<String, Long> recovered, Map<String, Long> failure) {}

    /**
     * A method that is retried.
     *
     * @param beanClass the bean's class
     * @param signature the method with its parameters, a key for {@code retryon.methods}
     * @param settings the effective settings by attribute of the annotation
     * @param schedule the waits before the first ten retries, as the policy says
     * @param scheduleDependsOnCall whether the backoff chooses by the call, so that each wait is anything up to the cap
     */
    public record RetriedMethodDescription(
            String beanClass,
            String signature,
            Map<String, Setting> settings,
            List<Wait> schedule,
            boolean scheduleDependsOnCall) {}

    /**
     * An effective setting.
     *
     * @param value what holds
     * @param sources who said so: {@code default}, a property or an annotation; several for lists that add up, and for a
     *     limit that has lowered the value
     */
    public record Setting(Object value, List<String> sources) {}

    /**
     * The bounds of one wait, as ISO-8601 durations.
     *
     * @param retry the retry's number, from 1
     * @param shortest the shortest wait
     * @param longest the longest wait
     */
    public record Wait(int retry, String shortest, String longest) {}
}
