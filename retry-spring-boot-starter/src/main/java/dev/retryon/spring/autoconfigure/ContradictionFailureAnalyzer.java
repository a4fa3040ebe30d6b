/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.settings.RetryConfigurationException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.AnnotationConfigurationException;

/** Explains a {@code @RetryOn} with two different lists of types that a component scan comes upon before any bean is checked. */
final class ContradictionFailureAnalyzer extends AbstractFailureAnalyzer<AnnotationConfigurationException> {

    private static final Pattern PLACE = Pattern.compile("declared on (?:class )?([\\w.$]+)");

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, AnnotationConfigurationException cause) {
        String message = String.valueOf(cause.getMessage());
        if (rootFailure instanceof RetryConfigurationException || !message.contains(RetryOn.class.getName())) {
            return null;
        }
        Matcher place = PLACE.matcher(message);
        String where = place.find() ? " on " + place.group(1) : "";
        return new FailureAnalysis(
                "The retry configuration has a fault:\n\n  - @RetryOn" + where
                        + "\n      value and exceptions are both given and differ, but the two mean the same; list all"
                        + " types in one of them",
                "Correct the annotation named above.",
                cause);
    }
}
