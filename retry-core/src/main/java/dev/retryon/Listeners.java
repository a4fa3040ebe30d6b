/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

/** Sends events to listeners. A listener that fails is logged, and the call and the other listeners go on. */
final class Listeners {

    private final Participants<RetryListener> listeners;

    Listeners(Participants<RetryListener> listeners) {
        this.listeners = listeners;
    }

    /** Whether one of them wants events of a type. */
    boolean want(Class<? extends RetryEvent> type) {
        for (RetryListener listener : UserCode.all(listeners)) {
            if (wants(listener, type)) {
                return true;
            }
        }
        return false;
    }

    /** Sends an event to those that want it. */
    void send(RetryEvent event) {
        for (RetryListener listener : UserCode.all(listeners)) {
            send(listener, event);
        }
    }

    static boolean wants(RetryListener listener, Class<? extends RetryEvent> type) {
        try {
            return listener.wants(type);
        } catch (Throwable ex) {
            Interruption.keep(ex);
            CoreLog.warn("a retry listener failed; it receives no event", ex);
            return false;
        }
    }

    static void send(RetryListener listener, RetryEvent event) {
        try {
            if (listener.wants(event.getClass())) {
                listener.onEvent(event);
            }
        } catch (Throwable ex) {
            Interruption.keep(ex);
            // Not the event's text: it may quote the error, and reading that may be what failed.
            CoreLog.warn(event.name() + ": a retry listener failed; the call goes on", ex);
        }
    }
}
