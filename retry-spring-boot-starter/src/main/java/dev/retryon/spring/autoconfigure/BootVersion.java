/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import java.io.Serial;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Requires a version of Spring Boot with which everything works: with an older one, retries would work and meters be missing. */
final class BootVersion {

    private static final int OLDEST = 4;

    private BootVersion() {}

    /**
     * Ends the start if the version is too old.
     *
     * @param version such as {@code 4.1.1}, or {@code null} if it is not known
     * @throws TooOldException if it is below 4.0
     */
    static void require(@Nullable String version) {
        String major = version == null ? "" : version.replaceFirst("\\..*", "");
        if (major.matches("\\d{1,3}") && Integer.parseInt(major) < OLDEST) {
            throw new TooOldException(version);
        }
    }

    /** Thrown where Spring Boot is older than what RetryOn works with. */
    static final class TooOldException extends IllegalStateException {

        @Serial
        private static final long serialVersionUID = 1L;

        TooOldException(@Nullable String version) {
            super("RetryOn requires Spring Boot 4.0 or later, but Spring Boot " + version + " is on the class path");
        }
    }

    /** Prints it as Boot prints its own faults. */
    static final class Analyzer extends AbstractFailureAnalyzer<TooOldException> {

        @Override
        protected FailureAnalysis analyze(Throwable rootFailure, TooOldException cause) {
            return new FailureAnalysis(
                    cause.getMessage() + ".",
                    "Update Spring Boot to 4.0 or later, or remove retry-spring-boot-starter from the class path.",
                    cause);
        }
    }
}
