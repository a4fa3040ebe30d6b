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
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Dead letters: calls that have failed permanently.
 *
 * @param timeout Maximum time, longer than 0, that a caller waits for its call to be stored as a dead letter. After
 *     that time, the caller receives its error, and a warning is logged. The same limit applies to each statement that
 *     stores a durable call.
 * @param maxArgumentsSize Maximum size of the arguments of a stored call as JSON, at least 2B.
 * @param aliases Current keys of renamed methods by their former keys, for dead letters and durable calls that were
 *     stored before the change. Write the former key in brackets: "[com.acme.Mails#send(java.lang.String)]".
 */
@ConfigurationProperties("retryon.dead-letter")
record RetryDeadLetterProperties(
        @DefaultValue("10s") Duration timeout,
        @DefaultValue("64KB") DataSize maxArgumentsSize,
        @DefaultValue Map<String, String> aliases,
        @DefaultValue Retention retention,
        @DefaultValue Health health)
        implements CheckedProperties {

    private static final String ALIASES = "retryon.dead-letter.aliases";

    private static final String RETENTION = "retryon.dead-letter.retention";

    private static final String HEALTH = "retryon.dead-letter.health";

    private static final String NO_STORE =
            " has no effect, because the application has no store for dead letters; configure a DataSource";

    private static final Duration SHORTEST_AGE = Duration.ofSeconds(1);

    private static final Duration LONGEST_AGE = Duration.ofDays(36_500);

    @Override
    public RetryDeadLetterProperties checked(RetryFaults faults) {
        RetryDeadLetterProperties usual = new Binder().bindOrCreate("usual", RetryDeadLetterProperties.class);
        boolean isLongEnough = timeout.compareTo(Duration.ZERO) > 0;
        if (!isLongEnough) {
            faults.add(
                    "retryon.dead-letter.timeout",
                    "is '" + DurationText.print(timeout) + "', but must be longer than zero");
        }
        boolean isLargeEnough = maxArgumentsSize.toBytes() >= 2;
        if (!isLargeEnough) {
            faults.add(
                    "retryon.dead-letter.max-arguments-size",
                    "is '" + maxArgumentsSize + "', but must be at least 2B, the size of an empty argument list");
        }
        Map<String, String> valid = new LinkedHashMap<>(aliases);
        valid.keySet().removeIf(former -> !isAlias(former, faults));
        return new RetryDeadLetterProperties(
                isLongEnough ? timeout : usual.timeout,
                isLargeEnough ? maxArgumentsSize : usual.maxArgumentsSize,
                valid,
                new Retention(
                        checkedAge(RETENTION + ".max-age", retention.maxAge, faults),
                        RetryDurableProperties.atLeast(1, RETENTION + ".max-count", retention.maxCount, faults)),
                new Health(
                        checkedAge(HEALTH + ".max-age", health.maxAge, faults),
                        RetryDurableProperties.atLeast(0, HEALTH + ".max-count", health.maxCount, faults)));
    }

    /** Returns whether a key names a method. Spring Boot removes characters such as '#' from keys without brackets. */
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
                property,
                "is '" + DurationText.print(age) + "', but must be between 1s and " + LONGEST_AGE.toDays() + "d");
        return null;
    }

    /** Records a fault for each setting whose store is missing, or whose Spring Boot health module is missing. */
    void checkNeeds(BooleanSupplier hasStore, boolean hasHealth, RetryFaults faults) {
        boolean hasThreshold = health.maxAge != null || health.maxCount != null;
        boolean hasRetention = retention.maxAge != null || retention.maxCount != null;
        if (!hasRetention && !hasThreshold) {
            return;
        }
        if (!hasStore.getAsBoolean()) {
            // In that case, a method whose calls must be kept is a fault. Without such a method, the settings can be
            // for another application.
            StarterLog.infoOfStart((hasRetention ? RETENTION : HEALTH) + NO_STORE);
        } else if (!hasHealth && hasThreshold) {
            faults.add(
                    HEALTH,
                    "is set, but spring-boot-health is not on the class path; add"
                            + " org.springframework.boot:spring-boot-health");
        }
    }

    /**
     * When to delete dead letters. If neither property is set, dead letters are never deleted.
     *
     * @param maxAge Maximum age of dead letters of any status, from 1s to 36500d. Older dead letters are deleted. If
     *     not set, there is no limit.
     * @param maxCount Maximum number of dead letters of any status, at least 1. If there are more, the oldest are
     *     deleted. If not set, there is no limit.
     */
    record Retention(@Nullable Duration maxAge, @Nullable Long maxCount) {}

    /**
     * When dead letters report the health status WARNING. If neither property is set, dead letters do not contribute to
     * health.
     *
     * @param maxAge Maximum age of the oldest dead letter, from 1s to 36500d, before health reports WARNING.
     * @param maxCount Maximum number of dead letters that are neither resent nor discarded, 0 or more, before health reports WARNING.
     */
    record Health(@Nullable Duration maxAge, @Nullable Long maxCount) {}
}
