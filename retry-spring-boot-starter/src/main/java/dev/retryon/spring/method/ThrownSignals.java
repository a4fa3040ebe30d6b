/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.springframework.util.ClassUtils;

/** Knows classes whose code names the errors that are retried because they ask for it. */
final class ThrownSignals {

    private ThrownSignals() {}

    /** Whether code of a class names the errors that are retried because they ask for it. */
    static boolean areNamedIn(Class<?> beanClass) {
        for (Class<?> type = beanClass; type != null && type != Object.class; type = type.getSuperclass()) {
            try (InputStream code = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
                String constants = code == null ? "" : new String(code.readAllBytes(), StandardCharsets.ISO_8859_1);
                if (constants.contains("dev/retryon/RetrySignal") || constants.contains("dev/retryon/RetryHint")) {
                    return true;
                }
            } catch (IOException ex) {
                return true; // nothing is known
            }
        }
        return false;
    }
}
