// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.backoff.DurationText;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetryFaults.CheckedProperties;
import dev.retryon.spring.module.StarterLog;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/** Dead letters: calls that have failed permanently. */
@ConfigurationProperties("retryon.dead-letter")
class RetryDeadLetterProperties implements CheckedProperties {

    private static final String ALIASES = "retryon.dead-letter.aliases";

    private static final String RETENTION = "retryon.dead-letter.retention";

    private static final String HEALTH = "retryon.dead-letter.health";

    private static final String NO_STORE =
            " has no effect, because there is no store for dead letters; configure a DataSource";

    private static final Duration SHORTEST_AGE = Duration.ofSeconds(1);

    private static final Duration LONGEST_AGE = Duration.ofDays(36_500);

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final DataSize MAX_ARGUMENTS_SIZE = DataSize.ofKilobytes(64);

    /**
     * Maximum time, longer than 0, that a caller waits for its call to be stored as a dead letter. The caller then receives
     * its error, and a warning is logged. Also the time limit of each statement that stores a durable call.
     */
    private Duration timeout = TIMEOUT;

    /** Maximum size of the arguments of a stored call as JSON, at least 2B. */
    private DataSize maxArgumentsSize = MAX_ARGUMENTS_SIZE;

    /**
     * Current keys of renamed methods by their former keys, for dead letters and durable calls that were stored before. Write
     * the former key in brackets: "[com.acme.Mails#send(java.lang.String)]".
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

    @Override
    public void check(RetryFaults faults) {
        if (timeout.isNegative() || timeout.isZero()) {
            faults.add(
                    "retryon.dead-letter.timeout",
                    "is '" + DurationText.print(timeout) + "', but must be longer than zero");
            timeout = TIMEOUT;
        }
        if (maxArgumentsSize.toBytes() < 2) {
            faults.add(
                    "retryon.dead-letter.max-arguments-size",
                    "is '" + maxArgumentsSize + "', but must be at least 2B, the size of an empty list of arguments");
            maxArgumentsSize = MAX_ARGUMENTS_SIZE;
        }
        aliases.keySet().removeIf(former -> !isAlias(former, faults));
        retention.maxAge = checkedAge(RETENTION + ".max-age", retention.maxAge, faults);
        retention.maxCount = RetryDurableProperties.atLeast(1, RETENTION + ".max-count", retention.maxCount, faults);
        health.maxAge = checkedAge(HEALTH + ".max-age", health.maxAge, faults);
        health.maxCount = RetryDurableProperties.atLeast(0, HEALTH + ".max-count", health.maxCount, faults);
    }

    /** A key that is not in brackets has lost its signs. */
    private static boolean isAlias(String former, RetryFaults faults) {
        if (former.matches("[^#\\s]+#[^#(\\s]+\\([^()\\s]*\\)")) {
            return true;
        }
        faults.add(
                ALIASES + (former.contains("#") ? "[" + former + "]" : "." + former),
                "is not the key of a method; write it in brackets and quotes, with the full names of the parameter"
                        + " types and without spaces: \"[com.acme.Mails#send(java.lang.String,int)]\"");
        return false;
    }

    private static @Nullable Duration checkedAge(String property, @Nullable Duration age, RetryFaults faults) {
        if (age == null || (age.compareTo(SHORTEST_AGE) >= 0 && age.compareTo(LONGEST_AGE) <= 0)) {
            return age;
        }
        faults.add(
                property, "is '" + DurationText.print(age) + "', but must be from 1s to " + LONGEST_AGE.toDays() + "d");
        return null;
    }

    /** Records a fault for each setting that needs a store, or Spring Boot's health, if that is absent. */
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
            faults.add(
                    HEALTH,
                    "is set, but spring-boot-health is not on the class path; add"
                            + " org.springframework.boot:spring-boot-health");
        }
    }

    /** When to delete dead letters. If nothing is set, they are never deleted. */
    static class Retention {

        /**
         * Maximum age of dead letters of any status, from 1s to 36500d. Older ones are deleted. If not set, there is
         * no limit.
         */
        private @Nullable Duration maxAge;

        /**
         * Maximum number of dead letters of any status, at least 1. The oldest ones are deleted. If not set, there is
         * no limit.
         */
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

    /** When dead letters report the health status WARNING. If nothing is set, they do not contribute to health. */
    static class Health {

        /** Maximum age of the oldest dead letter, from 1s to 36500d, before health reports WARNING. */
        private @Nullable Duration maxAge;

        /**
         * Maximum number of dead letters that are neither resent nor discarded, 0 or more, before health reports
         * WARNING.
         */
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
