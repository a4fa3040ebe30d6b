// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** Writes the log messages of the core. Exceptions of loggers must neither replace a call's error nor fail a call. */
final class CoreLog {

    private static final String NAME = "dev.retryon";

    private CoreLog() {}

    static void warn(String message, @Nullable Throwable cause) {
        log(Level.WARNING, message, cause);
    }

    static void debug(String message, @Nullable Throwable cause) {
        log(Level.DEBUG, message, cause);
    }

    // The logger is looked up when it is first needed, because the lookup takes some milliseconds at start-up.
    private static void log(Level level, String message, @Nullable Throwable cause) {
        try {
            System.getLogger(NAME).log(level, message, cause);
        } catch (Throwable ex) {
            // No other way to report the failure exists.
            return;
        }
    }
}
