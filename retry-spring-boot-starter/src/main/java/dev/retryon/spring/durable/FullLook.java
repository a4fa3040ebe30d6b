/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import com.github.kagkarlsson.scheduler.task.Execution;
import java.util.List;

/**
 * Has the scheduler look again after each look that has found as many calls as there were threads free, for there may be more
 * of them. By itself it does so when the next call ends, but it does not notice those that end during the look: their threads
 * would be idle until the next poll. If no thread is free by then, looking again asks the database nothing.
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
