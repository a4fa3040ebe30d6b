/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.Place;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.report.RetryFaults;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Explains annotations that Spring can't read, before any bean is checked: a {@code @RetryOn} with two different lists of
 * types, and a composed annotation with a wrong alias.
 */
final class ContradictionFailureAnalyzer extends AbstractFailureAnalyzer<AnnotationConfigurationException> {

    private static final String TWO_VALUES = "Different @AliasFor mirror values";

    /** If Spring reads classes with ASM, the message names the class. */
    private static final Pattern PLACE = Pattern.compile("declared on (?:class )?([\\w$]+\\.[\\w.$]+)");

    /** If Spring reads classes with the JDK, from version 24 on, only the outer error names the file of the class. */
    private static final Pattern FILE = Pattern.compile("\\[([^\\]]+)\\.class]");

    private final @Nullable Environment environment;

    ContradictionFailureAnalyzer(@Nullable Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, AnnotationConfigurationException cause) {
        String message = String.valueOf(cause.getMessage());
        if (rootFailure instanceof RetryConfigurationException || !message.contains(RetryOn.class.getName())) {
            return null;
        }
        RetryFaults faults = new RetryFaults();
        if (message.startsWith(TWO_VALUES)) {
            Matcher place = PLACE.matcher(message);
            String where = place.find() ? place.group(1) : classThatIsRead(rootFailure);
            faults.add(
                    Place.code("@RetryOn" + (where == null ? "" : " on " + where)),
                    "value and exceptions are both given and differ, but the two mean the same; list all types in one"
                            + " of them");
        } else {
            faults.add(Place.code("A composed annotation"), "can't be read: " + message);
        }
        // There are no beans yet, but faults of properties can be found without them.
        if (environment instanceof ConfigurableEnvironment properties) {
            StartupChecks.check(properties, faults);
        }
        FailureAnalysis all = new RetryConfigurationFailureAnalyzer(environment)
                .analyze(rootFailure, new RetryConfigurationException(faults.list()));
        return new FailureAnalysis(all.getDescription(), all.getAction(), cause);
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
        while (!ClassUtils.isPresent(name, ContradictionFailureAnalyzer.class.getClassLoader())) {
            int dot = name.indexOf('.');
            if (dot < 0) {
                return path;
            }
            name = name.substring(dot + 1);
        }
        return name;
    }
}
