// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Kind;

/**
 * Sends events to listeners. An exception of a listener is reported, and the call and the other listeners continue.
 * Each listener is asked once per event whether it needs it.
 */
final class Listeners {

    /** No listener wants an event. */
    static final int NOBODY = -1;

    private final Participants<RetryListener> listeners;

    private final ExtensionErrorReporter extensionErrors;

    Listeners(Participants<RetryListener> listeners, ExtensionErrorReporter extensionErrors) {
        this.listeners = listeners;
        this.extensionErrors = extensionErrors;
    }

    /**
     * The first listener that wants events of a type, for {@link #send}; {@link #NOBODY} if there is none.
     *
     * @param own the call's own listeners, which receive events before those of the engine do
     */
    int firstWanting(RetryListener[] own, Class<? extends RetryEvent> type) {
        RetryListener[] all = all();
        for (int i = 0; i < own.length + all.length; i++) {
            if (wants(at(i, own, all), type)) {
                return i;
            }
        }
        return NOBODY;
    }

    /**
     * Sends an event to the first listener that wants it, and to those after that which want it too.
     *
     * @param own the call's own listeners
     * @param first what {@link #firstWanting} has returned
     */
    void send(RetryListener[] own, int first, RetryEvent event) {
        RetryListener[] all = all();
        for (int i = first; i < own.length + all.length; i++) {
            RetryListener listener = at(i, own, all);
            if (i == first || wants(listener, event.getClass())) {
                send(listener, event);
            }
        }
    }

    private static RetryListener at(int position, RetryListener[] own, RetryListener[] all) {
        return position < own.length ? own[position] : all[position - own.length];
    }

    private RetryListener[] all() {
        return extensionErrors.all(Kind.LISTENER, listeners);
    }

    private boolean wants(RetryListener listener, Class<? extends RetryEvent> type) {
        try {
            return Extensions.ask(listener, false, type, RetryListener::wants);
        } catch (Throwable ex) {
            failed(listener, ExtensionErrorListener.ANY, "it receives no event", ex);
            return false;
        }
    }

    private void send(RetryListener listener, RetryEvent event) {
        try {
            Extensions.run(listener, () -> listener.onEvent(event));
        } catch (Throwable ex) {
            failed(listener, event.name(), "the call continues", ex);
        }
    }

    /** Does not quote the event: its text may quote the error, and reading that may be what failed. */
    private void failed(RetryListener listener, String name, String consequence, Throwable cause) {
        extensionErrors.report(
                Kind.LISTENER,
                name,
                "the retry listener " + ExtensionErrorReporter.type(listener) + " failed; " + consequence,
                cause);
    }
}
