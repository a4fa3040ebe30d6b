/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.policy;

import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.report.RetryWarning;

/**
 * Warns of methods of different classes that have the same name in meters and logs by accident, because their classes have the
 * same simple name. A name that somebody has set is meant for every method that has it.
 */
final class SharedNames {

    private SharedNames() {}

    /** Logs that a method has the name of another one, which was found before. */
    static void warn(RetriedMethod method, RetriedMethods methods, RetryFaults faults) {
        if (!hasDefaultName(method)) {
            return;
        }
        Class<?> type = method.beanClass();
        methods.named(method.name()).stream()
                .filter(SharedNames::hasDefaultName)
                .map(RetriedMethod::beanClass)
                .filter(other -> !other.isAssignableFrom(type) && !type.isAssignableFrom(other))
                .findFirst()
                .ifPresent(other -> faults.warn(
                        RetryWarning.SHARED_NAME,
                        "Retried methods of " + other.getName() + " and " + type.getName() + " share the name '"
                                + method.name()
                                + "' in meters and logs: give one of them a name, @RetryOn(name = \"…\")"));
    }

    private static boolean hasDefaultName(RetriedMethod method) {
        return method.name().equals(RetryMethodResolver.defaultName(method.beanClass(), method.method()));
    }
}
