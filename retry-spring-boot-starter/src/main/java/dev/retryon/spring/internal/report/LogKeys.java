// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.report;

import java.util.List;

/** The keys of an attempt in the log context. Lines about retries have key-values with the same names. */
public final class LogKeys {

    public static final String NAME = "retry.name";

    public static final String ATTEMPT = "retry.attempt";

    public static final String MAX_ATTEMPTS = "retry.max-attempts";

    public static final List<String> CONTEXT = List.of(NAME, ATTEMPT, MAX_ATTEMPTS);

    private LogKeys() {}
}
