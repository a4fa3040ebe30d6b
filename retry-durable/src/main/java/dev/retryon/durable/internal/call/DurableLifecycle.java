/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call;

import dev.retryon.RetryEngine;
import dev.retryon.durable.CallEngine;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.spring.internal.check.MethodsCheck;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the engine with the application, if any method needs it, and stops it first of all, so that running attempts can end
 * while what they need is still there.
 */
public final class DurableLifecycle implements SmartLifecycle {

    private final Supplier<? extends CallEngine> engine;

    private final Function<@Nullable LiveNodes, CallWorker> worker;

    private final Supplier<@Nullable LiveNodes> announcer;

    private final boolean runsCalls;

    private boolean needed;

    private boolean active;

    private @Nullable Work started;

    private record Work(CallWorker worker, @Nullable LiveNodes nodes) {}

    public DurableLifecycle(
            Supplier<? extends CallEngine> engine,
            Supplier<DurableCalls> calls,
            Supplier<RetryEngine> retries,
            Duration heartbeat,
            boolean runsCalls) {
        this.engine = engine;
        this.runsCalls = runsCalls;
        this.worker = nodes -> new CallWorker(calls.get(), retries.get(), nodes);
        this.announcer = () -> {
            DurableCalls stored = calls.get();
            if (!(stored.transactions() instanceof RetryStore store)) {
                return null;
            }
            return new LiveNodes(
                    store,
                    () -> StoredCallFormat.readable(stored.methods().callable(method -> true)),
                    () -> StoredCallFormat.readable(stored.methods().callable(stored::runs)),
                    heartbeat,
                    stored.faults());
        };
    }

    /**
     * The check of durable methods, which has the engine started if there are any. It needs none of what they need.
     *
     * @param beanFactory the application's beans, which are only asked for by name
     * @param keepsDeadLetters whether there is something that calls which fail for good are kept in
     * @param calls gives what stores calls; asked only if everything is there
     * @param lifecycle gives what starts the engine; asked only if everything is there
     * @return the check
     */
    public static MethodsCheck check(
            ConfigurableListableBeanFactory beanFactory,
            BooleanSupplier keepsDeadLetters,
            Supplier<DurableCalls> calls,
            Supplier<DurableLifecycle> lifecycle) {
        return new DurableCheck(beanFactory, keepsDeadLetters, calls, lifecycle);
    }

    /** Says that a method needs the engine: it is started now or with the application. */
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
        // Before the lock is taken: whoever makes beans may wait for another thread that does, and comes here.
        CallEngine calls = engine.get();
        @Nullable LiveNodes nodes = announcer.get();
        CallWorker made = worker.apply(nodes);
        boolean mine = false;
        synchronized (this) {
            if (isToStart()) {
                mine = true;
                started = new Work(made, nodes);
                if (nodes != null) {
                    nodes.start(); // other processes have to know before this one is busy
                }
                calls.start(made);
            }
        }
        if (!mine && nodes != null) {
            nodes.stop();
        }
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
                engine.get().stop();
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
