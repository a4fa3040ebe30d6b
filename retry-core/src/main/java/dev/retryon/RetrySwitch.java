/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/**
 * Ends the retries of calls while the application runs: for an operator who wants the load of retries gone at once. First
 * attempts are still made. One switch may serve any number of retries. Thread-safe.
 *
 * @see RetryBuilder#retrySwitch
 * @since 0.1.0
 */
public final class RetrySwitch {

    /** Nearly always one. */
    private final List<WeakReference<RetryEngine>> engines = new ArrayList<>(1);

    private volatile boolean off;

    /** Creates a switch that is on. */
    public RetrySwitch() {}

    /**
     * Whether retries are switched off.
     *
     * @return {@code false} at first
     */
    public boolean isOff() {
        return off;
    }

    /**
     * Switches retries off. Waits for a next attempt end at once: the call ends with its last error or its recovery, with the
     * reason {@link StopReason#SWITCHED_OFF}. Attempts that run are left alone. Waits of a {@link Sleeper} or a {@link
     * RetryTimer} of the user's end when they end. Calls whose retries {@linkplain StoredCalls are stored} are not ended: they
     * are stored again.
     */
    public void turnOff() {
        off = true;
        List<WeakReference<RetryEngine>> all;
        synchronized (engines) {
            all = List.copyOf(engines);
        }
        for (WeakReference<RetryEngine> each : all) {
            RetryEngine engine = each.get();
            if (engine != null) {
                engine.endWaits(this);
            }
        }
    }

    /** Switches retries on again. Calls that were ended stay ended. */
    public void turnOn() {
        off = false;
    }

    /** Names an engine in which calls with this switch wait. */
    void serves(RetryEngine engine) {
        synchronized (engines) {
            engines.removeIf(each -> each.get() == null || each.get() == engine);
            engines.add(new WeakReference<>(engine));
        }
    }

    @Override
    public String toString() {
        return off ? "off" : "on";
    }
}
