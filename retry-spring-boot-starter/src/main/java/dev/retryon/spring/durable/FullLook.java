/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import com.github.kagkarlsson.scheduler.task.Execution;
import java.util.List;

/**
 * Lets the scheduler look for due calls again if a look has found as many calls as threads were free, because there may be
 * more. The scheduler itself looks again when the next call ends, but it misses calls that end during the look: their threads
 * would be idle until the next poll. If no thread is free, looking again does not query the database.
 */
final class FullLook {

    private final Runnable lookAgain;

    FullLook(Runnable lookAgain) {
        this.lookAgain = lookAgain;
    }

    /** The calls that a look for a number of calls has found. */
    List<Execution> of(List<Execution> found, int limit) {
        if (found.size() == limit) {
            lookAgain.run();
        }
        return found;
    }
}
