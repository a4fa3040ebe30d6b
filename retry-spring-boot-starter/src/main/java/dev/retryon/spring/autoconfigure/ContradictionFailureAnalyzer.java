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
import org.springframework.util.ClassUtils;

/**
 * Explains annotations that Spring can't read, before any bean is checked: a {@code @RetryOn} with two different lists of types
 * that a component scan comes upon, and a composed annotation with a wrong alias.
 */
final class ContradictionFailureAnalyzer extends AbstractFailureAnalyzer<AnnotationConfigurationException> {

    private static final String TWO_VALUES = "Different @AliasFor mirror values";

    /** Where Spring reads classes with ASM, the message names the class. */
    private static final Pattern PLACE = Pattern.compile("declared on (?:class )?([\\w$]+\\.[\\w.$]+)");

    /** Where it reads them with the JDK, from version 24 on, only the error around names the file of the class. */
    private static final Pattern FILE = Pattern.compile("\\[([^\\]]+)\\.class]");

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, AnnotationConfigurationException cause) {
        String message = String.valueOf(cause.getMessage());
        if (rootFailure instanceof RetryConfigurationException || !message.contains(RetryOn.class.getName())) {
            return null;
        }
        if (!message.startsWith(TWO_VALUES)) {
            return new FailureAnalysis(
                    "The retry configuration has a fault:\n\n  - A composed annotation can't be read\n      " + message,
                    "Correct the annotation named above.",
                    cause);
        }
        Matcher place = PLACE.matcher(message);
        String where = place.find() ? place.group(1) : classThatIsRead(rootFailure);
        return new FailureAnalysis(
                "The retry configuration has a fault:\n\n  - @RetryOn" + (where == null ? "" : " on " + where)
                        + "\n      value and exceptions are both given and differ, but the two mean the same; list all"
                        + " types in one of them",
                "Correct the annotation named above.",
                cause);
    }

    private static @Nullable String classThatIsRead(Throwable rootFailure) {
        for (Throwable next = rootFailure; next != null; next = next.getCause()) {
            Matcher file = FILE.matcher(String.valueOf(next.getMessage()));
            if (file.find()) {
                return className(file.group(1));
            }
        }
        return null;
    }

    /** The longest end of a path that is the name of a class; the path itself if there is none. */
    private static String className(String path) {
        String name = path.replace('/', '.').replace('\\', '.');
        for (int from = 0; from >= 0; from = name.indexOf('.', from) + 1) {
            String candidate = name.substring(from);
            if (ClassUtils.isPresent(candidate, ContradictionFailureAnalyzer.class.getClassLoader())) {
                return candidate;
            }
            if (name.indexOf('.', from) < 0) {
                break;
            }
        }
        return path;
    }
}
