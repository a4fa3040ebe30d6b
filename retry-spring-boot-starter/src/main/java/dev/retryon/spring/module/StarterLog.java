// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.event.Level;

/**
 * Logs all faults and warnings of the starter. Exceptions from logging are ignored, because an appender or encoder
 * that fails, even with an {@link Error}, must neither replace the error of a call nor stop the application.
 */
public final class StarterLog {

    /** The name of the logger. */
    public static final String NAME = "dev.retryon";

    /** The key under which Spring Boot stores the trace id of a thread, with either tracing library. */
    public static final String TRACE = "traceId";

    private static final Logger log = LoggerFactory.getLogger(NAME);

    private static final Logger startLog = LoggerFactory.getLogger(NAME + ".startup");

    private StarterLog() {}

    /** Replaces control characters, such as line breaks, to fit the text on one line of the log. */
    public static String plain(String text) {
        return text.replaceAll("\\p{Cntrl}", "\uFFFD");
    }

    /** Returns the trace id of this thread; {@code null} if none is set or logging fails. */
    public static @Nullable String trace() {
        try {
            return MDC.get(TRACE);
        } catch (Throwable ex) {
            return null;
        }
    }

    public static void error(String message) {
        log(log, Level.ERROR, message, null);
    }

    public static void warn(String message) {
        log(log, Level.WARN, message, null);
    }

    public static void warn(String message, @Nullable Throwable cause) {
        log(log, Level.WARN, message, cause);
    }

    /** Logs a probable mistake in the configuration. */
    public static void warnOfStart(String message) {
        log(startLog, Level.WARN, message, null);
    }

    /** Logs a useful fact about the configuration. */
    public static void infoOfStart(String message) {
        log(startLog, Level.INFO, message, null);
    }

    public static void info(String message) {
        log(log, Level.INFO, message, null);
    }

    private static void log(Logger target, Level level, String message, @Nullable Throwable cause) {
        try {
            target.atLevel(level).setCause(cause).log(message);
        } catch (Throwable ex) {
            return; // there is nowhere left to report it
        }
    }
}
