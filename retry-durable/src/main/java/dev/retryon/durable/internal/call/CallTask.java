/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.HeartbeatState;
import com.github.kagkarlsson.scheduler.task.CompletionHandler;
import com.github.kagkarlsson.scheduler.task.Execution;
import com.github.kagkarlsson.scheduler.task.ExecutionContext;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.retryon.durable.CallEngine;
import dev.retryon.durable.CallLease;
import java.time.Instant;
import java.util.function.Consumer;

/**
 * What db-scheduler runs: gives a call to the worker. What comes of the call is written by the worker; if it could not be, the
 * call stays held until the hold lapses.
 */
final class CallTask {

    private final CallTable table;

    private final Consumer<CallLease> worker;

    /** A task that gives the calls of a table to a worker. */
    CallTask(CallTable table, Consumer<CallLease> worker) {
        this.table = table;
        this.worker = worker;
    }

    /**
     * The task of a scheduler.
     *
     * @param missedLimit the number of heartbeats after which the scheduler takes a call for dead
     */
    Task<byte[]> of(int missedLimit) {
        return Tasks.custom(table.task(), byte[].class)
                .onFailure((failed, operations) -> {})
                // The engine does this, because the scheduler would look at the calls of all applications.
                .onDeadExecution((dead, operations) -> {})
                .execute((instance, context) -> run(new Held(table, context, missedLimit)));
    }

    private CompletionHandler<byte[]> run(CallLease lease) {
        worker.accept(lease);
        return (complete, operations) -> {};
    }

    /** A call that db-scheduler has picked. */
    private static final class Held implements CallLease {

        private final CallTable table;

        private final Execution execution;

        private final HeartbeatState heartbeats;

        private final int missedLimit;

        Held(CallTable table, ExecutionContext context, int missedLimit) {
            this.table = table;
            this.execution = context.getExecution();
            this.heartbeats = context.getCurrentlyExecuting().getHeartbeatState();
            this.missedLimit = missedLimit;
        }

        @Override
        public String id() {
            return execution.getId();
        }

        @Override
        public byte[] call() {
            return (byte[]) execution.taskInstance.getData();
        }

        @Override
        public Instant due() {
            return execution.executionTime;
        }

        @Override
        public boolean isRevived() {
            return execution.consecutiveFailures > 0;
        }

        @Override
        public boolean isValid() {
            return heartbeats.getFailedHeartbeats() == 0
                    && heartbeats.getFractionDead() * missedLimit < DbSchedulerEngine.MISSED_HEARTBEATS;
        }

        @Override
        public void release(byte[] call, CallEngine.Label label, Instant due) {
            table.release(execution, call, label, due);
        }

        @Override
        public void postpone(byte[] call, Instant due) {
            table.postpone(execution, call, due);
        }

        @Override
        public void remove() {
            table.remove(execution);
        }

        @Override
        public String toString() {
            return execution.getId();
        }
    }
}
