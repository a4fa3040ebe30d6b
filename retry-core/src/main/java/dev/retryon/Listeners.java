/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Source;
import org.jspecify.annotations.Nullable;

/**
 * Sends events to listeners. An exception of a listener is reported, and the call and the other listeners continue.
 * Each listener is asked once per event whether it needs it.
 */
final class Listeners {

    /** No listener wants an event. */
    static final int NOBODY = -2;

    /** The call's own listener wants the event; it receives events before those of the engine do. */
    private static final int OWN = -1;

    private final Participants<RetryListener> listeners;

    private final ExtensionErrorReporter extensionErrors;

    Listeners(Participants<RetryListener> listeners, ExtensionErrorReporter extensionErrors) {
        this.listeners = listeners;
        this.extensionErrors = extensionErrors;
    }

    /**
     * The first listener that wants events of a type, for {@link #send}; {@link #NOBODY} if there is none.
     *
     * @param own the call's own listener; {@code null} if it has none
     */
    int firstWanting(@Nullable RetryListener own, Class<? extends RetryEvent> type) {
        if (own != null && wants(own, type)) {
            return OWN;
        }
        RetryListener[] all = all();
        for (int i = 0; i < all.length; i++) {
            if (wants(all[i], type)) {
                return i;
            }
        }
        return NOBODY;
    }

    /**
     * Sends an event to the first listener that wants it, and to those after that which want it too.
     *
     * @param own the call's own listener; {@code null} if it has none
     * @param first what {@link #firstWanting} has returned
     */
    void send(@Nullable RetryListener own, int first, RetryEvent event) {
        if (own != null && first == OWN) {
            send(own, event);
        }
        RetryListener[] all = all();
        for (int i = Math.max(0, first); i < all.length; i++) {
            if (i == first || wants(all[i], event.getClass())) {
                send(all[i], event);
            }
        }
    }

    private RetryListener[] all() {
        return extensionErrors.all(Source.LISTENER, listeners);
    }

    private boolean wants(RetryListener listener, Class<? extends RetryEvent> type) {
        try {
            return listener.wants(type);
        } catch (Throwable ex) {
            failed(listener, ExtensionErrorListener.ANY, "it receives no event", ex);
            return false;
        }
    }

    private void send(RetryListener listener, RetryEvent event) {
        try {
            listener.onEvent(event);
        } catch (Throwable ex) {
            failed(listener, event.name(), "the call continues", ex);
        }
    }

    /** Does not quote the event: its text may quote the error, and reading that may be what failed. */
    private void failed(RetryListener listener, String name, String consequence, Throwable cause) {
        extensionErrors.report(
                Source.LISTENER,
                name,
                "the retry listener " + ExtensionErrorReporter.type(listener) + " failed; " + consequence,
                cause);
    }
}
