// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.RetryEngine;
import dev.retryon.durable.CallEngine;
import dev.retryon.durable.internal.store.RetryStore;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the engine with the application, if any method needs it, and stops it first of all, so that running attempts can end
 * while what they need is still there.
 */
public final class DurableLifecycle implements SmartLifecycle {

    private final Supplier<DurableCalls> calls;

    private final Supplier<RetryEngine> retries;

    private final Duration heartbeat;

    private final boolean runsCalls;

    private boolean needed;

    private boolean active;

    private @Nullable Work started;

    private record Work(
            CallEngine engine, CallWorker worker, @Nullable LiveNodes nodes) {}

    public DurableLifecycle(
            Supplier<DurableCalls> calls, Supplier<RetryEngine> retries, Duration heartbeat, boolean runsCalls) {
        this.calls = calls;
        this.retries = retries;
        this.heartbeat = heartbeat;
        this.runsCalls = runsCalls;
    }

    /** Requests the engine, which starts now or with the application. */
    void need() {
        synchronized (this) {
            needed = true;
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
        // Without the lock, because creating beans may wait for another thread that creates beans and calls this.
        DurableCalls stored = calls.get();
        CallEngine engine = stored.engine();
        LiveNodes nodes = nodes(stored);
        CallWorker worker = new CallWorker(stored, retries.get(), nodes);
        boolean mine = false;
        synchronized (this) {
            if (isToStart()) {
                mine = true;
                started = new Work(engine, worker, nodes);
                if (nodes != null) {
                    nodes.start(); // other processes have to know before this one is busy
                }
                engine.start(worker);
            }
        }
        if (!mine && nodes != null) {
            nodes.stop();
        }
    }

    /** Returns {@code null} for an engine of the application, which does not tell what other processes run. */
    private @Nullable LiveNodes nodes(DurableCalls stored) {
        if (!(stored.transactions() instanceof RetryStore store)) {
            return null;
        }
        return new LiveNodes(
                store,
                () -> StoredCallFormat.readable(stored.methods().callable(method -> true)),
                () -> StoredCallFormat.readable(stored.methods().callable(stored::runs)),
                heartbeat,
                stored.errors());
    }

    private synchronized boolean isToStart() {
        return runsCalls && needed && active && started == null;
    }

    @Override
    public void stop(Runnable callback) {
        // Running attempts are waited for beside other beans of this phase.
        Thread stopping = new Thread(
                () -> {
                    try {
                        stop();
                    } finally {
                        callback.run();
                    }
                },
                "retryon-stop");
        stopping.setDaemon(true);
        stopping.start();
    }

    @Override
    public void stop() {
        Work running;
        synchronized (this) {
            running = started;
            started = null;
            active = false;
        }
        if (running != null) {
            try {
                running.engine().stop();
            } finally {
                running.worker().stop();
                if (running.nodes() != null) {
                    running.nodes().stop();
                }
            }
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return active;
    }
}
