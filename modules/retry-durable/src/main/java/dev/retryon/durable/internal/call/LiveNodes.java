// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.spring.internal.report.ExtensionErrors;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The running processes of an application that share a store. Each announces the methods whose calls it can run, in a row of
 * table {@value RetryStore#CHANGES} that expires unless it is renewed. So a process that can't run a call knows whether
 * another one can, even if that one has no free thread for a while. Thread-safe.
 */
final class LiveNodes {

    private static final String ROWS = RetryStore.CHANGES + " where application = :application and kind = :kind";

    private static final String RENEW = "update " + RetryStore.CHANGES
            + " set settings = :lines, changed_at = :now, ends_at = :ends, version = version + 1"
            + " where application = :application and kind = :kind and name = :id";

    private static final String ADD = "insert into " + RetryStore.CHANGES
            + " (application, kind, name, settings, changed_at, ends_at, version)"
            + " values (:application, :kind, :id, :lines, :now, :ends, 1)";

    /** A database that hangs must not end the announcements. In seconds. */
    private static final int TIMEOUT = 10;

    /** How long the end of a process waits until its announcement is deleted; otherwise it expires. In milliseconds. */
    private static final long PARTING = 1000;

    private static final ThreadFactory THREADS = LaneSchedulers.threads("retryon-store-");

    private final String id = UUID.randomUUID().toString();

    private final RetryStore store;

    private final Supplier<Set<String>> known;

    private final Supplier<Set<String>> announced;

    private final Duration interval;

    private final ExtensionErrors errors;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(THREADS);

    /**
     * Announces nothing yet.
     *
     * @param known the methods that this process has
     * @param announced those of them whose lanes have threads in this process
     */
    LiveNodes(
            RetryStore store,
            Supplier<Set<String>> known,
            Supplier<Set<String>> announced,
            Duration interval,
            ExtensionErrors errors) {
        this.store = store;
        this.known = known;
        this.announced = announced;
        this.interval = interval;
        this.errors = errors;
    }

    /** Announces this process, now and from now on. */
    void start() {
        beat();
        var unused =
                timer.scheduleWithFixedDelay(this::beat, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Announces this process in the background, and asks at intervals whether something was found, until it was or this is
     * stopped. Does nothing for a user of the database who can't run stored calls, but only keeps dead letters.
     */
    void startAndLook(Duration pause, BooleanSupplier found) {
        timer.execute(() -> {
            if (canRunCalls()) {
                start();
                look(pause, found);
            }
        });
    }

    /** Whether no right is known to be missing. A database that does not answer is asked again by what follows. */
    private boolean canRunCalls() {
        try {
            return store.missingRight(RetryStore.CALLS, RetryStore.CHANGES) == null;
        } catch (RuntimeException ex) {
            return true;
        }
    }

    private void look(Duration pause, BooleanSupplier found) {
        boolean isFound = false;
        try {
            isFound = found.getAsBoolean();
        } catch (RuntimeException ex) {
            report("this process could not look for calls of dead letters; it tries again", ex);
        }
        if (!isFound) {
            var unused = timer.schedule(() -> look(pause, found), pause.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void report(String sentence, RuntimeException ex) {
        if (!timer.isShutdown()) {
            errors.report(ExtensionErrorListener.Kind.STORE, "stored calls", sentence, ex);
        }
    }

    private void beat() {
        try {
            announce();
        } catch (RuntimeException ex) {
            report("this process could not publish its methods; it tries again", ex);
        }
    }

    private void announce() {
        Instant now = Instant.now();
        Map<String, Object> row = Map.of(
                "id", id,
                "lines", RetryStore.storable(String.join("\n", new TreeSet<>(announced.get()))),
                "now", now.toEpochMilli(),
                "ends",
                        now.plus(interval.multipliedBy(DbSchedulerEngine.MISSED_HEARTBEATS))
                                .toEpochMilli());
        store.<@Nullable Void>write(() -> {
            if (sql(store, RENEW).params(row).update() == 0) {
                // The first time, or the row has expired and another process has deleted it.
                sql(store, "delete from " + ROWS + " and ends_at < :now")
                        .param("now", now.toEpochMilli())
                        .update();
                sql(store, ADD).params(row).update();
            }
            return null;
        });
    }

    private static JdbcClient.StatementSpec sql(RetryStore kept, String sql) {
        return kept.jdbc()
                .sql(sql)
                .withQueryTimeout(TIMEOUT)
                .param("application", kept.application())
                .param("kind", RetryStore.NODES);
    }

    /**
     * Whether another running process can run a call that this one can't.
     *
     * @return {@code false} also if this process knows it itself: then others are no better
     */
    boolean othersKnow(Set<String> lines) {
        if (known.get().stream().anyMatch(lines::contains)) {
            return false;
        }
        return announced(store, id).anyMatch(lines::contains);
    }

    /**
     * Returns what running processes have announced.
     *
     * @param except the id of a process that is left out; empty for none
     * @throws RuntimeException if the store can't be read
     */
    static Stream<String> announced(RetryStore kept, String except) {
        return sql(kept, "select settings from " + ROWS + " and name <> :id and ends_at >= :now")
                .param("id", except)
                .param("now", Instant.now().toEpochMilli())
                .query(String.class)
                .list()
                .stream()
                .flatMap(String::lines);
    }

    /** Ends the announcements. The last one is deleted, or expires if that takes longer than a moment. */
    void stop() {
        timer.shutdownNow();
        Thread parting = THREADS.newThread(() -> {
            try {
                store.writeSingle(() -> sql(store, "delete from " + ROWS + " and name = :id")
                        .param("id", id)
                        .update());
            } catch (RuntimeException ex) {
                return; // the database is away: the announcement expires
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
