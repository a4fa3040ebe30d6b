// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * Writes all log messages of the core. Exceptions of a logger or an appender are ignored, because they must neither
 * replace the error of a call nor fail a successful call.
 */
final class CoreLog {

    private static final String NAME = "dev.retryon";

    private CoreLog() {}

    /** Logs a message for operators. */
    static void warn(String message, @Nullable Throwable cause) {
        log(Level.WARNING, message, cause);
    }

    /** Logs a message for debugging a single call. */
    static void debug(String message, @Nullable Throwable cause) {
        log(Level.DEBUG, message, cause);
    }

    // The logger is looked up when it is first needed, because the lookup takes some milliseconds of the start.
    private static void log(Level level, String message, @Nullable Throwable cause) {
        try {
            System.getLogger(NAME).log(level, message, cause);
        } catch (Throwable ex) {
            // There is no other place to report it.
            return;
        }
    }
}
