// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import java.io.Serial;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Fails start-up if the version of Spring Boot is too old: retries would work, but meters would be missing. */
final class UnsupportedBootException extends IllegalStateException {

    @Serial
    private static final long serialVersionUID = 1L;

    private static final int OLDEST = 4;

    private UnsupportedBootException(@Nullable String version) {
        super("RetryOn requires Spring Boot 4.0 or later, but Spring Boot " + version + " is on the class path");
    }

    static void throwIfTooOld(@Nullable String version) {
        String major = version == null ? "" : version.replaceFirst("\\..*", "");
        if (major.matches("\\d{1,3}") && Integer.parseInt(major) < OLDEST) {
            throw new UnsupportedBootException(version);
        }
    }

    static final class Analyzer extends AbstractFailureAnalyzer<UnsupportedBootException> {

        @Override
        protected FailureAnalysis analyze(Throwable rootFailure, UnsupportedBootException cause) {
            return new FailureAnalysis(
                    cause.getMessage() + ".",
                    "Update Spring Boot to 4.0 or later, or remove retry-spring-boot-starter from the class path.",
                    cause);
        }
    }
}
