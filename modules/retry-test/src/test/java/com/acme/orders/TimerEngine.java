// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import dev.retryon.durable.CallEngine;
import dev.retryon.durable.CallLease;
import dev.retryon.durable.LeaseLostException;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** For one process, whose calls are lost with it. */
public class TimerEngine implements CallEngine {

    record Stored(String id, byte[] call, Label label, Instant due, boolean revived) {}

    private final Map<String, Stored> waiting = new ConcurrentHashMap<>();

    private final Map<String, Stored> leased = new ConcurrentHashMap<>();

    private volatile Thread thread;

    @Override
    public void add(String id, byte[] call, Label label, Instant due) {
        if (leased.containsKey(id) || waiting.putIfAbsent(id, new Stored(id, call, label, due, false)) != null) {
            throw new IllegalStateException("call " + id + " is stored already");
        }
    }

    @Override
    public void start(Consumer<CallLease> worker) {
        thread = new Thread(() -> run(worker), "calls");
        thread.start();
    }

    private void run(Consumer<CallLease> worker) {
        while (Thread.currentThread().equals(thread)) {
            waiting.values().stream()
                    .filter(call -> call.due().isBefore(Instant.now()))
                    .min(Comparator.comparing(Stored::due))
                    .ifPresent(call -> run(call, worker));
            LockSupport.parkNanos(1_000_000);
        }
    }

    private void run(Stored call, Consumer<CallLease> worker) {
        leased.put(call.id(), call);
        waiting.remove(call.id());
        worker.accept(new TimerLease(call));
        if (leased.remove(call.id(), call)) {
            // The worker could not end the lease.
            Instant later = Instant.now().plusSeconds(60);
            waiting.put(call.id(), new Stored(call.id(), call.call(), call.label(), later, true));
        }
    }

    @Override
    public void stop() {
        Thread running = thread;
        thread = null;
        try {
            if (running != null) {
                running.join();
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Map<String, Backlog> backlog() {
        return waiting.values().stream()
                .collect(Collectors.toMap(
                        call -> call.label().lane(),
                        call -> new Backlog(1, call.due()),
                        (one, other) -> new Backlog(
                                one.waiting() + other.waiting(),
                                one.nextDue().isBefore(other.nextDue()) ? one.nextDue() : other.nextDue())));
    }

    private final class TimerLease implements CallLease {

        private final Stored stored;

        TimerLease(Stored stored) {
            this.stored = stored;
        }

        @Override
        public String id() {
            return stored.id();
        }

        @Override
        public byte[] call() {
            return stored.call();
        }

        @Override
        public Instant due() {
            return stored.due();
        }

        @Override
        public boolean isRevived() {
            return stored.revived();
        }

        @Override
        public boolean isValid() {
            return leased.containsKey(stored.id());
        }

        @Override
        public void release(byte[] call, Label label, Instant due) {
            remove();
            add(stored.id(), call, label, due);
        }

        @Override
        public void postpone(byte[] call, Instant due) {
            remove();
            waiting.put(stored.id(), new Stored(stored.id(), call, stored.label(), due, stored.revived()));
        }

        @Override
        public void remove() {
            if (!leased.remove(stored.id(), stored)) {
                throw new LeaseLostException(stored.id());
            }
        }
    }
}
