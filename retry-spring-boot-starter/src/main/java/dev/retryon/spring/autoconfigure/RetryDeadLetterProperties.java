/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.settings.RetryFaults;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.util.unit.DataSize;

/** Calls that have failed for good. */
class RetryDeadLetterProperties {

    /** How long a caller waits at most until its call is kept. After that it gets its error, and a warning is logged. */
    private Duration timeout = Duration.ofSeconds(10);

    /** How long the arguments of a stored call may be, as JSON. */
    private DataSize maxArgumentsSize = DataSize.ofKilobytes(64);

    /**
     * Methods that were renamed, for calls that were stored before: the key that a method has now, by the key that it had,
     * "[com.acme.Mails#send(java.lang.String)]". For durable calls too.
     */
    private final Map<String, String> aliases = new LinkedHashMap<>();

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

    void check(RetryFaults faults) {
        if (timeout.isNegative() || timeout.isZero()) {
            faults.add("retryon.dead-letter.timeout", "is '" + timeout + "', but must be longer than zero");
        }
        if (maxArgumentsSize.toBytes() < 2) {
            faults.add(
                    "retryon.dead-letter.max-arguments-size",
                    "is '" + maxArgumentsSize + "', but must be at least 2B, for no arguments");
        }
    }
}
