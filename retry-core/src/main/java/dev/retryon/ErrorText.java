// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The class and the message of an error, which are kept instead of the error itself.
 *
 * @param type the name of the error's class
 * @param message the message of the error, truncated to {@value #LONGEST} characters; {@code null} if the error has no
 *     message or it cannot be read
 * @since 0.1.0
 */
public record ErrorText(String type, @Nullable String message) implements Serializable {

    /** The maximum length of a message, in characters. */
    public static final int LONGEST = 1000;

    /**
     * Describes an error. If the message cannot be read, only the class is kept.
     *
     * @param error the error
     * @return the class and message of the error
     */
    public static ErrorText of(Throwable error) {
        String message = null;
        try {
            message = error.getLocalizedMessage();
            if (message != null && message.length() > LONGEST) {
                message = message.substring(0, LONGEST) + "…";
            }
        } catch (Throwable ex) {
            Extensions.keepInterrupt(ex);
        }
        return new ErrorText(error.getClass().getName(), message);
    }

    @Override
    public String toString() {
        return message == null ? type : type + ": " + message;
    }
}
