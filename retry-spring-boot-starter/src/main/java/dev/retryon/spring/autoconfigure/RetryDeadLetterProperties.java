/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.backoff.DurationText;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.settings.StarterLog;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Calls that have failed for good. */
class RetryDeadLetterProperties {

    private static final String ALIASES = "retryon.dead-letter.aliases";

    private static final String RETENTION = "retryon.dead-letter.retention";

    private static final String HEALTH = "retryon.dead-letter.health";

    private static final String NO_STORE =
            " has no effect here, because nothing keeps dead letters; add org.springframework.boot:spring-boot-starter-jdbc, or"
                    + " a bean of type " + DeadLetterStore.class.getName();

    private static final Duration SHORTEST_AGE = Duration.ofSeconds(1);

    private static final Duration LONGEST_AGE = Duration.ofDays(36_500);

    /**
     * How long a caller waits at most until its call is kept. After that it gets its error, and a warning is logged. Also the time
     * limit of each statement that stores a durable call.
     */
    private Duration timeout = Duration.ofSeconds(10);

    /** How long the arguments of a stored call may be, as JSON. */
    private DataSize maxArgumentsSize = DataSize.ofKilobytes(64);

    /**
     * Methods that were renamed, for calls that were stored before: the key that a method has now, by the key that it had,
     * "[com.acme.Mails#send(java.lang.String)]". For durable calls too.
     */
    private final Map<String, String> aliases = new LinkedHashMap<>();

    private final Retention retention = new Retention();

    private final Health health = new Health();

    public Duration getTimeout() {
        return timeout;
    }

    public void setTimeout(Duration timeout) {
        this.timeout = timeout;
    }

    public DataSize getMaxArgumentsSize() {
        return maxArgumentsSize;
    }

    public void setMaxArgumentsSize(DataSize maxArgumentsSize) {
        this.maxArgumentsSize = maxArgumentsSize;
    }

    public Map<String, String> getAliases() {
        return aliases;
    }

    public Retention getRetention() {
        return retention;
    }

    public Health getHealth() {
        return health;
    }

    /** Records what is wrong. */
    void check(RetryFaults faults) {
        if (timeout.isNegative() || timeout.isZero()) {
            faults.add(
                    "retryon.dead-letter.timeout",
                    "is '" + DurationText.print(timeout) + "', but must be longer than zero");
        }
        if (maxArgumentsSize.toBytes() < 2) {
            faults.add(
                    "retryon.dead-letter.max-arguments-size",
                    "is '" + maxArgumentsSize + "', but must be at least 2B, for no arguments");
        }
        aliases.keySet().forEach(former -> checkAlias(former, faults));
        checkAge(RETENTION + ".max-age", retention.maxAge, faults);
        checkCount(RETENTION + ".max-count", retention.maxCount, 1, faults);
        checkAge(HEALTH + ".max-age", health.maxAge, faults);
        checkCount(HEALTH + ".max-count", health.maxCount, 0, faults);
    }

    /** A key that is not in brackets has lost its signs. */
    private static void checkAlias(String former, RetryFaults faults) {
        if (!former.matches("[^#\\s]+#[^#(\\s]+\\([^()\\s]*\\)")) {
            faults.add(
                    ALIASES + (former.contains("#") ? "[" + former + "]" : "." + former),
                    "is not the key of a method; write it in brackets and quotes, with the full names of the parameter"
                            + " types and without spaces: \"[com.acme.Mails#send(java.lang.String,int)]\"");
        }
    }

    private static void checkAge(String property, @Nullable Duration age, RetryFaults faults) {
        if (age != null && (age.compareTo(SHORTEST_AGE) < 0 || age.compareTo(LONGEST_AGE) > 0)) {
            faults.add(
                    property,
                    "is '" + DurationText.print(age) + "', but must be from 1s to " + LONGEST_AGE.toDays() + "d");
        }
    }

    private static void checkCount(String property, @Nullable Long count, long least, RetryFaults faults) {
        if (count != null && count < least) {
            faults.add(property, "is '" + count + "', but must be at least " + least);
        }
    }

    /** Records what is set and can't be done: without a store, or without Spring Boot's health. */
    void checkNeeds(BooleanSupplier hasStore, boolean hasHealth, RetryFaults faults) {
        boolean hasThreshold = health.maxAge != null || health.maxCount != null;
        boolean hasRetention = retention.maxAge != null || retention.maxCount != null;
        if (!hasRetention && !hasThreshold) {
            return;
        }
        if (!hasStore.getAsBoolean()) {
            // A method whose calls are to be kept is a fault then; without one, another application may have the
            // settings.
            StarterLog.infoOfStart((hasRetention ? RETENTION : HEALTH) + NO_STORE);
        } else if (!hasHealth && hasThreshold) {
            faults.add(HEALTH, "is set, which needs on the class path: org.springframework.boot:spring-boot-health");
        }
    }

    /** When dead letters are deleted; never if nothing is set. */
    static class Retention {

        /** How long ago a dead letter may have died before it is deleted, whatever its status. Never deleted if not set. */
        private @Nullable Duration maxAge;

        /** How many dead letters are kept, the newest, whatever their status. All of them if not set. */
        private @Nullable Long maxCount;

        public @Nullable Duration getMaxAge() {
            return maxAge;
        }

        public void setMaxAge(@Nullable Duration maxAge) {
            this.maxAge = maxAge;
        }

        public @Nullable Long getMaxCount() {
            return maxCount;
        }

        public void setMaxCount(@Nullable Long maxCount) {
            this.maxCount = maxCount;
        }
    }

    /** When the health of dead letters is WARNING; there is none if nothing is set. */
    static class Health {

        /** How long ago the oldest letter that is dead may have died before health is WARNING. */
        private @Nullable Duration maxAge;

        /** How many letters may be dead before health is WARNING. */
        private @Nullable Long maxCount;

        public @Nullable Duration getMaxAge() {
            return maxAge;
        }

        public void setMaxAge(@Nullable Duration maxAge) {
            this.maxAge = maxAge;
        }

        public @Nullable Long getMaxCount() {
            return maxCount;
        }

        public void setMaxCount(@Nullable Long maxCount) {
            this.maxCount = maxCount;
        }
    }
}
