// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.RetryEngine;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.spring.RetrySettingsChanged;
import java.time.Instant;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Starts the engine with the application, if any method needs it, and stops it before everything else. Running attempts can
 * therefore end while the beans that they need are still available. A process that only keeps dead letters starts the engine
 * when it finds a stored call, because any process can have resent a dead letter.
 */
public final class DurableLifecycle implements SmartLifecycle {

    private final Supplier<DurableCalls> calls;

    private final Supplier<RetryEngine> retries;

    private boolean needed;

    private boolean keepsLetters;

    private boolean active;

    private @Nullable LiveNodes nodes;

    private @Nullable Work started;

    private record Work(CallEngine engine, CallWorker worker) {}

    public DurableLifecycle(Supplier<DurableCalls> calls, Supplier<RetryEngine> retries) {
        this.calls = calls;
        this.retries = retries;
    }

    /** Creates daemon threads. An application ends when its own threads end, and its context stops the engine. */
    static ThreadFactory daemons(String prefix) {
        CustomizableThreadFactory daemons = new CustomizableThreadFactory(prefix);
        daemons.setDaemon(true);
        return daemons;
    }

    /** Requests the engine, which starts now or with the application. */
    public void need() {
        synchronized (this) {
            needed = true;
        }
        startIfNeeded();
    }

    /** Requests the engine for calls of dead letters as soon as the database contains any. */
    public void keepLetters() {
        synchronized (this) {
            keepsLetters = true;
        }
        startIfNeeded();
    }

    @Override
    public void start() {
        synchronized (this) {
            active = true;
        }
        startIfNeeded();
    }

    private void startIfNeeded() {
        if (!isToStart()) {
            return;
        }
        // Without the lock: creating beans can wait for another thread that creates beans and calls this method.
        DurableCalls stored = calls.get();
        CallEngine engine = stored.engine();
        // Calls in memory have no other processes.
        RetryStore store = stored.transactions() instanceof RetryStore kept ? kept : null;
        RetryEngine retrying = retries.get();
        boolean runsCalls = stored.settings().lanes().runsCalls();
        synchronized (this) {
            if (!isToStart()) {
                return;
            }
            LiveNodes announcing = nodes == null && store != null ? new LiveNodes(stored, store) : null;
            if (announcing != null) {
                nodes = announcing;
            }
            if (needed && runsCalls) {
                if (announcing != null) {
                    announcing.start(); // other processes must be informed before this one is busy
                }
                CallWorker worker = new CallWorker(stored, retrying, nodes);
                started = new Work(engine, worker);
                engine.start(worker);
            } else if (announcing != null) {
                announcing.startAndLook(() -> !runsCalls || needIfStored(stored.store()));
            }
        }
    }

    /** Wakes the workers, because calls to methods that were paused might run now. */
    @EventListener
    public void settingsChanged(RetrySettingsChanged event) {
        Work running;
        synchronized (this) {
            running = started;
        }
        if (running != null) {
            calls.get().gates().keySet().forEach(lane -> running.engine().wake(lane, Instant.now()));
        }
    }

    /** Requests the engine if a call is stored, whether it is waiting or running, because its process might have ended. */
    private boolean needIfStored(CallStore store) {
        boolean isStored = !store.list(StoredCalls.Filter.of(State.WAITING, State.RUNNING, State.BLOCKED), null, 1)
                .calls()
                .isEmpty();
        if (isStored) {
            need();
        }
        return isStored;
    }

    private synchronized boolean isToStart() {
        return active && started == null && (needed || (keepsLetters && nodes == null));
    }

    @Override
    public void stop(Runnable callback) {
        // Waits for running attempts at the same time as other beans in this phase.
        daemons("retryon-stop-")
                .newThread(() -> {
                    try {
                        stop();
                    } finally {
                        callback.run();
                    }
                })
                .start();
    }

    @Override
    public void stop() {
        Work running;
        LiveNodes announcing;
        synchronized (this) {
            running = started;
            announcing = nodes;
            started = null;
            nodes = null;
            active = false;
        }
        try {
            if (running != null) {
                running.engine().stop();
            }
        } finally {
            if (running != null) {
                running.worker().stop();
            }
            if (announcing != null) {
                announcing.stop();
            }
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return active;
    }
}
