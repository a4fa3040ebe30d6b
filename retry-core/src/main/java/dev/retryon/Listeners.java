// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Kind;

/** Sends events to listeners. An exception of a listener is reported, and the call and the other listeners continue. */
final class Listeners {

    private final Participants<RetryListener> listeners;

    private final ExtensionErrorReporter extensionErrors;

    Listeners(Participants<RetryListener> listeners, ExtensionErrorReporter extensionErrors) {
        this.listeners = listeners;
        this.extensionErrors = extensionErrors;
    }

    /** Returns whether an event has a listener. */
    boolean exist(RetryListener[] own) {
        return own.length > 0 || all().length > 0;
    }

    /**
     * Sends an event.
     *
     * @param own the call's own listeners, which receive it before those of the engine do
     */
    void send(RetryListener[] own, RetryEvent event) {
        for (RetryListener listener : own) {
            send(listener, event);
        }
        for (RetryListener listener : all()) {
            send(listener, event);
        }
    }

    private RetryListener[] all() {
        return listeners.all(Kind.LISTENER, extensionErrors);
    }

    /** Does not quote the event: its text may quote the error, and reading that may be what failed. */
    private void send(RetryListener listener, RetryEvent event) {
        try {
            // A lambda that captures nothing: an event allocates nothing for a listener.
            Extensions.<RetryListener, RetryEvent, Boolean, RuntimeException>ask(
                    listener, false, event, (asked, about) -> {
                        asked.onEvent(about);
                        return true;
                    });
        } catch (Throwable ex) {
            extensionErrors.report(
                    Kind.LISTENER,
                    event.name(),
                    "the retry listener " + ExtensionErrorReporter.type(listener) + " failed; the call continues",
                    ex);
        }
    }
}
