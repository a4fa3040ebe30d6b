/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.report;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs all faults and warnings of the starter. An appender or encoder that fails, even with an {@link Error}, must
 * neither replace the error of a call nor end a start, so exceptions of logging are dropped.
 */
public final class StarterLog {

    /** The name of the logger. */
    public static final String NAME = "dev.retryon";

    private static final Logger log = LoggerFactory.getLogger(NAME);

    private static final Logger startLog = LoggerFactory.getLogger(NAME + ".startup");

    private StarterLog() {}

    /**
     * Converts a text so that it fits on one line of the log.
     *
     * @param text any text
     * @return the text with control characters, such as line breaks, replaced
     */
    public static String plain(String text) {
        return text.replaceAll("\\p{Cntrl}", "\uFFFD");
    }

    /**
     * Logs faults that ended the start, or would have ended it.
     *
     * @param message the whole text
     */
    public static void error(String message) {
        try {
            log.error(message);
        } catch (Throwable ex) {
            return; // there is nowhere left to report it
        }
    }

    /**
     * Logs something that an operator should look at.
     *
     * @param message the whole text
     */
    public static void warn(String message) {
        warn(message, null);
    }

    /**
     * Logs something that an operator should look at.
     *
     * @param message the whole text
     * @param cause what was thrown, or {@code null}
     */
    public static void warn(String message, @Nullable Throwable cause) {
        try {
            log.warn(message, cause);
        } catch (Throwable ex) {
            return; // there is nowhere left to report it
        }
    }

    /**
     * Logs something that is probably wrong in the configuration.
     *
     * @param message the whole text
     */
    public static void warnOfStart(String message) {
        try {
            startLog.warn(message);
        } catch (Throwable ex) {
            return; // there is nowhere left to report it
        }
    }

    /**
     * Logs something about the configuration that is good to know.
     *
     * @param message the whole text
     */
    public static void infoOfStart(String message) {
        try {
            startLog.info(message);
        } catch (Throwable ex) {
            return; // there is nowhere left to report it
        }
    }

    /**
     * Logs something that is good to know.
     *
     * @param message the whole text
     */
    public static void info(String message) {
        try {
            log.info(message);
        } catch (Throwable ex) {
            return; // there is nowhere left to report it
        }
    }
}
