// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.event.SchedulerListener;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.store.CallDialect;
import dev.retryon.durable.internal.store.RetryStore;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/** The schedulers of a process: one for each lane that has threads, so that no lane waits for another lane's calls. */
final class LaneSchedulers {

    /** The age at which the scheduler itself treats a call as dead: never. */
    private static final Duration FOREVER = Duration.ofDays(36_500);

    private static final int NAME_LENGTH = 50;

    private final DurableSettings.Engine settings;

    private final RetryStore store;

    private final Map<String, DueCalls> due;

    private final CallTable table;

    private final CallEngine.Worker worker;

    private final ScheduledExecutorService housekeeper =
            Executors.newSingleThreadScheduledExecutor(threads("retryon-housekeeper-"));

    private final Map<String, Scheduler> schedulers = new TreeMap<>();

    /** Creates the object without schedulers. If the worker cannot write the outcome of a call, the lease expires. */
    LaneSchedulers(
            DurableSettings.Engine settings,
            RetryStore store,
            Map<String, DueCalls> due,
            CallTable table,
            CallEngine.Worker worker) {
        this.settings = settings;
        this.store = store;
        this.due = due;
        this.table = table;
        this.worker = worker;
    }

    /** Runs an action after a delay, unless the schedulers are stopped before. */
    void later(Duration delay, Runnable action) {
        try {
            var unused = housekeeper.schedule(action, delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException ex) {
            return; // the schedulers were stopped
        }
    }

    /** Runs an action now, and again after each pause, until the schedulers are stopped. */
    void always(Duration pause, Runnable action) {
        var unused = housekeeper.scheduleWithFixedDelay(action, 0, pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    void all(Consumer<Scheduler> action) {
        schedulers.values().forEach(action);
    }

    /** Makes a lane that has threads look for due calls immediately, or right after a search that is in progress. */
    void look(String lane) {
        Scheduler scheduler = schedulers.get(lane);
        if (scheduler != null) {
            scheduler.triggerCheckForDueExecutions();
        }
    }

    void add(String lane, int threads, ScheduledExecutorService housekeeper, SchedulerListener listener) {
        DueCalls looks = Objects.requireNonNull(due.get(lane));
        int missedLimit = (int) Math.min(Integer.MAX_VALUE, FOREVER.dividedBy(settings.heartbeatInterval()));
        SchedulerBuilder scheduler = Scheduler.create(store.dataSource(), List.of(task(missedLimit)))
                .tableName(RetryStore.CALLS)
                .schedulerName(new SchedulerName.Fixed(processName()))
                .jdbcCustomization(new CallDialect(store.database(), looks::look))
                .threads(threads)
                .executorService(Executors.newFixedThreadPool(
                        threads, threads("retryon-worker-" + (lane.equals(Lanes.DEFAULT) ? "" : lane + "-"))))
                .dueExecutor(Executors.newSingleThreadExecutor(threads("retryon-due-")))
                .housekeeperExecutor(housekeeper)
                // Pools can provide connections that do not commit by themselves. Other connections are not affected.
                .commitWhenAutocommitDisabled(true)
                .pollingInterval(settings.pollInterval())
                .heartbeatInterval(settings.heartbeatInterval())
                .missedHeartbeatsLimit(missedLimit)
                .deleteUnresolvedAfter(FOREVER)
                .addSchedulerListener(listener)
                .shutdownMaxWait(settings.shutdownWait());
        // Slow calls can occupy all threads but one. The scheduler, which rounds down, looks again once one is free.
        double lookBelow = 1.0 - 0.5 / threads;
        // At 1.0, leased calls run immediately. Above 1.0, they would wait in a queue, without a confirmed lease.
        schedulers.put(lane, scheduler.pollUsingLockAndFetch(lookBelow, 1.0).build());
    }

    private Task<CallTable.Content> task(int missedLimit) {
        return Tasks.custom(table.task(), CallTable.Content.class)
                .onFailure((failed, operations) -> {})
                // The engine does this, because the scheduler would look at the calls of all applications.
                .onDeadExecution((dead, operations) -> {})
                .execute((instance, context) -> {
                    worker.accept(table.lease(context, missedLimit));
                    return (complete, operations) -> {};
                });
    }

    /** Returns a unique name, because a process must not be mistaken for the previous one on the same machine. */
    private static String processName() {
        String id = UUID.randomUUID().toString();
        String host;
        try {
            // Not by SchedulerName.Hostname, which logs warnings if the name is unknown or slow to find.
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException ex) {
            host = "unknown";
        }
        return host.substring(0, Math.min(host.length(), NAME_LENGTH - id.length() - 1)) + '-' + id;
    }

    /** Creates daemon threads. An application ends when its own threads end, and its context stops the engine. */
    static ThreadFactory threads(String prefix) {
        CustomizableThreadFactory threads = new CustomizableThreadFactory(prefix);
        threads.setDaemon(true);
        return threads;
    }

    /** Stops all schedulers at the same time, because each waits for its running calls. */
    void stop() {
        housekeeper.shutdownNow();
        ThreadFactory threads = threads("retryon-stop-");
        List<Thread> stopping = schedulers.values().stream()
                .map(scheduler -> threads.newThread(scheduler::stop))
                .toList();
        stopping.forEach(Thread::start);
        try {
            for (Thread thread : stopping) {
                thread.join();
            }
        } catch (InterruptedException ex) {
            // The schedulers wait no longer either, and interrupt their calls.
            stopping.forEach(Thread::interrupt);
            Thread.currentThread().interrupt();
        }
    }
}
