// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.spring.module.RetriedMethod;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Announces this process to the application's other processes: its version, its threads, and the methods whose calls it can
 * run. Operators therefore see all processes, and a process that cannot run a call knows whether another one can, even if
 * the other process temporarily has no free thread. Thread-safe.
 */
final class LiveNodes {

    /** How long the end of a process waits until its announcement is deleted, which otherwise expires. In milliseconds. */
    private static final long PARTING = 1000;

    private static final Duration CLEANING = Duration.ofHours(1);

    private static final ThreadFactory THREADS = DurableLifecycle.daemons("retryon-store-");

    private final long startedAt = System.nanoTime();

    private final DurableCalls calls;

    private final RetryStore store;

    private final NodeTable table;

    private final Duration interval;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(THREADS);

    LiveNodes(DurableCalls calls, RetryStore store) {
        this.calls = calls;
        this.store = store;
        this.table = new NodeTable(store);
        this.interval = calls.settings().heartbeatInterval();
    }

    /** Announces this process, now and from now on. */
    void start() {
        beat();
        always(this::beat, interval, interval);
        always(this::clean, Duration.ZERO, CLEANING);
        always(this::continueTask, Duration.ZERO, interval);
    }

    private void always(Runnable action, Duration initial, Duration pause) {
        var unused = timer.scheduleWithFixedDelay(action, initial.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Announces this process in the background, and checks at intervals whether a call was found, until this is the case or
     * the announcements end. Does nothing if the database user cannot run stored calls and only keeps dead letters.
     */
    void startAndLook(BooleanSupplier found) {
        timer.execute(() -> {
            if (canRunCalls()) {
                start();
                look(found);
            }
        });
    }

    /** Returns whether no right is known to be missing. If the database does not respond, the next step asks again. */
    private boolean canRunCalls() {
        try {
            return store.missingRight(RetryStore.CALLS, RetryStore.NODES) == null;
        } catch (RuntimeException ex) {
            return true;
        }
    }

    private void look(BooleanSupplier found) {
        boolean isFound = false;
        try {
            isFound = found.getAsBoolean();
        } catch (RuntimeException ex) {
            report("this process could not check for resent dead letters; it will try again", ex);
        }
        if (!isFound) {
            long pause = calls.settings().pollInterval().toNanos();
            var unused = timer.schedule(() -> look(found), pause, TimeUnit.NANOSECONDS);
        }
    }

    private void report(String sentence, RuntimeException ex) {
        if (!timer.isShutdown()) {
            calls.errors().report(ExtensionErrorListener.Kind.STORE, "stored calls", sentence, ex);
        }
    }

    private void beat() {
        try {
            table.announce(
                    calls,
                    announced(),
                    Duration.ofNanos(System.nanoTime() - startedAt),
                    interval.multipliedBy(DbSchedulerEngine.MISSED_HEARTBEATS));
        } catch (RuntimeException ex) {
            report("this process could not publish its methods; it will try again", ex);
        }
    }

    /** Returns the methods that this process announces, or an empty set if it has no threads. */
    private Set<String> announced() {
        return calls.settings().lanes().runsCalls() ? new TreeSet<>(readable(calls::runs)) : Set.of();
    }

    /** Returns this process's matching methods, in the form in which processes announce them. */
    private Set<String> readable(Predicate<RetriedMethod> which) {
        return StoredCallFormat.readable(calls.methods().callable(which));
    }

    /** Continues the bulk task of a process that has ended. */
    private void continueTask() {
        try {
            if (!timer.isShutdown()) {
                calls.tasks().continueAbandoned();
            }
        } catch (RuntimeException ex) {
            return; // the next announcement reports it
        }
    }

    private void clean() {
        try {
            table.deleteOld();
        } catch (RuntimeException ex) {
            return; // the next announcement reports it
        }
    }

    /** Returns whether another process can run a call that this one cannot; {@code false} if this process knows the call. */
    boolean othersKnow(Set<String> lines) {
        if (readable(method -> true).stream().anyMatch(lines::contains)) {
            return false;
        }
        return table.announced(calls.nodeId()).anyMatch(lines::contains);
    }

    /** Ends the announcements. The last one is deleted, or expires if the deletion takes longer than a moment. */
    void stop() {
        timer.shutdownNow();
        calls.tasks().stop();
        Thread parting = THREADS.newThread(() -> {
            try {
                table.delete(calls.nodeId());
            } catch (RuntimeException ex) {
                return; // the database does not respond, so the announcement expires
            }
        });
        parting.start();
        try {
            parting.join(PARTING);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }
}
