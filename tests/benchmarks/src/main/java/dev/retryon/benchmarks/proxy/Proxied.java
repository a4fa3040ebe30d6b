// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.proxy;

/** The beans that are measured, each with other advice. */
public enum Proxied {
    /** No proxy. */
    PLAIN(PlainCalls.Bare.class),

    /** {@link EmptyAdvice}. */
    EMPTY(PlainCalls.Empty.class),

    /** {@link HandAdvice}. */
    HAND(PlainCalls.Hand.class),

    /** {@link HandleAdvice}. */
    HANDLE(PlainCalls.Handle.class),

    /** RetryOn, its meters switched off. */
    RETRY_ON(RetryOnCalls.class),

    /** RetryOn with its meters, but without its log. */
    RETRY_ON_METRICS(RetryOnCalls.class),

    /** RetryOn as its defaults have it: with its meters, and with its log, which goes to a file. */
    RETRY_ON_DEFAULTS(RetryOnCalls.class),

    /** As {@link #RETRY_ON}, where calls that fail permanently are kept as dead letters. */
    RETRY_ON_DEAD_LETTER(DeadLetterCalls.class),

    /** As {@link #RETRY_ON}, in AspectJ mode and without a proxy. */
    RETRY_ON_WOVEN(WovenCalls.class),

    /** {@code org.springframework.resilience.annotation.Retryable}. */
    SPRING(SpringCalls.class),

    /** {@code org.springframework.retry.annotation.Retryable}. */
    SPRING_RETRY(SpringRetryCalls.class),

    /** {@code io.github.resilience4j.retry.annotation.Retry}. */
    RESILIENCE4J(Resilience4jCalls.class),

    /** {@link EmptyAdvice} before {@code @Transactional}. */
    EMPTY_TRANSACTIONAL(TransactionalCalls.Empty.class),

    /** {@link HandAdvice} before {@code @Transactional}. */
    HAND_TRANSACTIONAL(TransactionalCalls.Hand.class),

    /** RetryOn, its meters switched off, before {@code @Transactional}. */
    RETRY_ON_TRANSACTIONAL(TransactionalCalls.RetriedOn.class),

    /** Spring's {@code @Retryable} before {@code @Transactional}. */
    SPRING_TRANSACTIONAL(TransactionalCalls.Spring.class);

    private final Class<? extends Calls> type;

    Proxied(Class<? extends Calls> type) {
        this.type = type;
    }

    Class<? extends Calls> type() {
        return type;
    }

    boolean hasMetrics() {
        return this == RETRY_ON_METRICS || this == RETRY_ON_DEFAULTS;
    }

    boolean isWoven() {
        return this == RETRY_ON_WOVEN;
    }

    /** Returns whether dead letters are stored, which requires durable calls. */
    boolean isKept() {
        return this == RETRY_ON_DEAD_LETTER;
    }

    /** Returns whether RetryOn logs to a file. */
    boolean isLogged() {
        return this == RETRY_ON_DEFAULTS;
    }
}
