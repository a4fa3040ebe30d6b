/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import dev.retryon.RetryFaultListener.Source;

/** Sends events to listeners. A listener that fails is reported, and the call and the other listeners go on. */
final class Listeners {

    private final Participants<RetryListener> listeners;

    private final Faults faults;

    Listeners(Participants<RetryListener> listeners, Faults faults) {
        this.listeners = listeners;
        this.faults = faults;
    }

    /** Whether one of them wants events of a type. */
    boolean want(Class<? extends RetryEvent> type) {
        for (RetryListener listener : faults.all(Source.LISTENER, listeners)) {
            if (wants(listener, type)) {
                return true;
            }
        }
        return false;
    }

    /** Sends an event to those that want it. */
    void send(RetryEvent event) {
        for (RetryListener listener : faults.all(Source.LISTENER, listeners)) {
            send(listener, event);
        }
    }

    boolean wants(RetryListener listener, Class<? extends RetryEvent> type) {
        try {
            return listener.wants(type);
        } catch (Throwable ex) {
            failed(listener, RetryFaultListener.ANY, "it receives no event", ex);
            return false;
        }
    }

    void send(RetryListener listener, RetryEvent event) {
        try {
            if (listener.wants(event.getClass())) {
                listener.onEvent(event);
            }
        } catch (Throwable ex) {
            failed(listener, event.name(), "the call goes on", ex);
        }
    }

    /** Does not quote the event: its text may quote the error, and reading that may be what failed. */
    private void failed(RetryListener listener, String name, String consequence, Throwable cause) {
        faults.report(
                Source.LISTENER,
                name,
                "the retry listener " + Faults.type(listener) + " failed; " + consequence,
                cause);
    }
}
