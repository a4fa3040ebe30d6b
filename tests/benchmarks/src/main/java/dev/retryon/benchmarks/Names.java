/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks;

import dev.retryon.benchmarks.async.AsyncEngine;
import dev.retryon.benchmarks.beans.BeanSet;
import dev.retryon.benchmarks.call.Scenario;
import dev.retryon.benchmarks.engine.Engine;
import dev.retryon.benchmarks.load.LoadEngine;
import dev.retryon.benchmarks.proxy.Proxied;
import dev.retryon.benchmarks.waits.Waiter;

/** What the contenders are called in tables and plots. */
final class Names {

    /** What every name of ours begins with. */
    static final String OURS = "RetryOn";

    private Names() {}

    static String of(Proxied proxied) {
        return switch (proxied) {
            case PLAIN -> "plain call";
            case EMPTY -> "E: empty advice";
            case HAND -> "H: hand-written loop as advice";
            case HANDLE -> "hand-written loop, method handle";
            case RETRY_ON -> OURS;
            case RETRY_ON_OPERATED -> OURS + " after changes at run time";
            case RETRY_ON_DEAD_LETTER -> OURS + " with dead letters";
            case RETRY_ON_WOVEN -> OURS + " woven by AspectJ";
            case RETRY_ON_METRICS -> OURS + " with metrics";
            case RETRY_ON_DEFAULTS -> OURS + " with metrics and log";
            case SPRING -> "Spring @Retryable";
            case SPRING_RETRY -> "spring-retry";
            case RESILIENCE4J -> "Resilience4j";
            case EMPTY_TRANSACTIONAL -> "E and @Transactional";
            case HAND_TRANSACTIONAL -> "H and @Transactional";
            case RETRY_ON_TRANSACTIONAL -> OURS + " and @Transactional";
            case SPRING_TRANSACTIONAL -> "Spring @Retryable and @Transactional";
        };
    }

    static String of(Engine engine) {
        return switch (engine) {
            case HAND -> "hand-written loop";
            case RETRY_ON -> OURS + ": Retry.call";
            case SPRING -> "Spring RetryTemplate";
            case FAILSAFE -> "Failsafe";
            case RESILIENCE4J -> "Resilience4j";
        };
    }

    static String of(AsyncEngine engine) {
        return switch (engine) {
            case HAND -> "hand-written";
            case RETRY_ON -> OURS + ": Retry.callAsync";
            case FAILSAFE -> "Failsafe";
            case RESILIENCE4J -> "Resilience4j";
        };
    }

    static String of(Waiter waiter) {
        return switch (waiter) {
            case SLEEP -> "Thread.sleep";
            case RETRY_ON -> OURS + ": Retry.call";
        };
    }

    static String of(LoadEngine engine) {
        return switch (engine) {
            case RETRY_ON -> OURS + ": Retry.callAsync";
            case RESILIENCE4J -> "Resilience4j: executeCompletionStage";
            case FAILSAFE -> "Failsafe: getStageAsync";
        };
    }

    static String ofAttempts(Scenario scenario) {
        return "%s, %,d attempts".formatted(OURS, scenario.attempts());
    }

    static String ofMethods(int methods) {
        return "%s, %,d methods".formatted(OURS, methods);
    }

    static String of(BeanSet set) {
        return switch (set) {
            case NONE -> "without any library";
            case UNRETRIED -> OURS + " on the class path";
            case EMPTY -> "E: empty advice";
            case RETRY_ON -> OURS;
            case RETRY_ON_METRICS -> OURS + " with metrics";
            case SPRING -> "Spring @Retryable";
            case SPRING_RETRY -> "spring-retry";
            case RESILIENCE4J -> "Resilience4j";
        };
    }
}
