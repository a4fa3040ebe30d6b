/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of an error in place of the error: its class and its message.
 *
 * @param type the name of its class
 * @param message its message, cut after {@value #LONGEST} characters; {@code null} if there is none or it can't be read
 * @since 0.1.0
 */
public record ErrorText(String type, @Nullable String message) implements Serializable {

    /** The longest message that is kept. */
    public static final int LONGEST = 1000;

    /**
     * Describes an error; one whose message can't be read is described by its class.
     *
     * @param error the error
     * @return its class and message
     */
    public static ErrorText of(Throwable error) {
        String message = null;
        try {
            message = error.getLocalizedMessage();
            if (message != null && message.length() > LONGEST) {
                message = message.substring(0, LONGEST) + "…";
            }
        } catch (Throwable ex) {
            Interruption.keep(ex);
        }
        return new ErrorText(error.getClass().getName(), message);
    }

    @Override
    public String toString() {
        return message == null ? type : type + ": " + message;
    }
}
