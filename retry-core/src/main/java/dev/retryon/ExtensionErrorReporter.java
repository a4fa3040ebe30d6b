// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Kind;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Reports the exceptions of extensions, such as listeners and gates. Reporting never throws. */
final class ExtensionErrorReporter {

    private static final int MAX_LOGGED = 1000;

    private final @Nullable ExtensionErrorListener listener;

    /** The logged messages, as text, so that no class of the application is kept. */
    private final Set<String> logged = ConcurrentHashMap.newKeySet(1);

    ExtensionErrorReporter(@Nullable ExtensionErrorListener listener) {
        this.listener = listener;
    }

    /** Reports an exception. If it is an {@link InterruptedException}, the interrupt flag is set again. */
    void report(Kind kind, String name, String sentence, Throwable cause) {
        Extensions.keepInterrupt(cause);
        ExtensionErrorListener receiver = listener;
        try {
            if (receiver == null || !Extensions.run(receiver, () -> receiver.onError(kind, name, sentence, cause))) {
                logOnce(name, sentence, cause);
            }
        } catch (Throwable ex) {
            Extensions.keepInterrupt(ex);
            logOnce(ExtensionErrorListener.ANY, "the ExtensionErrorListener threw an exception", ex);
            logOnce(name, sentence, cause);
        }
    }

    private void logOnce(String name, String sentence, Throwable cause) {
        String message = (name.equals(ExtensionErrorListener.ANY) ? "" : name + ": ") + sentence;
        if (logged.size() < MAX_LOGGED && logged.add(message + cause.getClass().getName())) {
            CoreLog.warn(message + " (logged once for " + cause.getClass().getName() + ")", cause);
        }
    }

    /** Returns the text of an extension, or its class if it does not override {@code toString}. */
    static String print(Object participant) {
        try {
            String text = participant.toString();
            return text.startsWith(participant.getClass().getName() + "@") ? type(participant) : text;
        } catch (Throwable ex) {
            return type(participant);
        }
    }

    static String type(Object participant) {
        String name = participant.getClass().getName();
        int lambda = name.indexOf("$$Lambda");
        return lambda < 0 ? name : "a lambda in " + name.substring(0, lambda);
    }
}
