/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.HeartbeatState;
import com.github.kagkarlsson.scheduler.task.Execution;
import com.github.kagkarlsson.scheduler.task.ExecutionContext;
import dev.retryon.durable.CallEngine;
import dev.retryon.durable.CallLease;
import java.time.Instant;

/** A call that db-scheduler has picked. */
final class PickedCall implements CallLease {

    private final CallTable table;

    private final Execution execution;

    private final HeartbeatState heartbeats;

    private final int missedLimit;

    /** @param missedLimit the number of heartbeats after which the scheduler takes a call for dead */
    PickedCall(CallTable table, ExecutionContext context, int missedLimit) {
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
