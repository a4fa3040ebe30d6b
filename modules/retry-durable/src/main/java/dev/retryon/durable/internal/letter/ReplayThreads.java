// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The threads that resend calls. They are not those of the application, because a call may wait for hours between its attempts.
 * Results are stored on other threads, so that they do not wait for such calls.
 */
record ReplayThreads(Executor calls, Executor results) {

    /** The number of calls that run at the same time at most; others wait in a queue. */
    static final int CALLS = 100;

    private static final int RESULTS = 4;

    private static final long IDLE_SECONDS = 10;

    static ReplayThreads create() {
        return new ReplayThreads(
                pool("retryon-dead-letters-call-", CALLS), pool("retryon-dead-letters-result-", RESULTS));
    }

    /** A pool of daemons, which end when they are idle, so there is nothing to close. */
    static ThreadPoolExecutor pool(String prefix, int threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons(prefix));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    static ThreadFactory daemons(String prefix) {
        CustomizableThreadFactory daemons = new CustomizableThreadFactory(prefix);
        daemons.setDaemon(true);
        return daemons;
    }
}
