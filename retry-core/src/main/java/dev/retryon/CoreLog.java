/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * The one place from which the core logs. A logger, an appender or the text of an exception that fails must neither replace
 * the error of a call nor fail a call that succeeded: whatever logging throws is dropped.
 */
final class CoreLog {

    private static final String NAME = "dev.retryon";

    private CoreLog() {}

    /** Logs something that an operator should look at. */
    static void warn(String message, @Nullable Throwable cause) {
        log(Level.WARNING, message, cause);
    }

    /** Logs something that helps only who examines one call. */
    static void debug(String message, @Nullable Throwable cause) {
        log(Level.DEBUG, message, cause);
    }

    // The logger is looked up when there is something to log: looking it up takes some milliseconds of every start.
    private static void log(Level level, String message, @Nullable Throwable cause) {
        try {
            System.getLogger(NAME).log(level, message, cause);
        } catch (Throwable ex) {
            // There is nowhere left to report it.
            return;
        }
    }
}
