// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallLease;
import dev.retryon.durable.internal.engine.CallStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The engine that {@link CallEngineContract} tests, its worker, and calls. */
abstract class ContractCalls {

    static final Duration PATIENCE = Duration.ofSeconds(30);

    static final CallEngine.Label MAIL = new CallEngine.Label("Mails.send", null, 0, Instant.EPOCH, "default", "");

    private final BlockingQueue<Passed> passed = new LinkedBlockingQueue<>();

    private final List<CallEngine> started = new ArrayList<>();

    private volatile @Nullable Throwable failure;

    /** A call as the worker has received it. */
    record Passed(String id, String content, Instant due, boolean revived) {}

    /**
     * Returns the engine with one thread, without calls and not started.
     *
     * @return the same engine during a test
     */
    protected abstract CallEngine engine();

    /** The store of the calls of the engine. */
    protected abstract CallStore store();

    /**
     * Returns another engine with the same store, as another process has. The leases of {@link #engine()} must expire
     * within some seconds, as if its process was paused.
     *
     * @return the engine; {@code null} if processes can't share a store, which is the default
     */
    protected @Nullable CallEngine otherProcess() {
        return null;
    }

    /**
     * Returns the transaction manager whose transactions the engine joins.
     *
     * @return the transaction manager; {@code null} by default
     */
    protected @Nullable PlatformTransactionManager transactionManager() {
        return null;
    }

    /** Lets time pass, if that is virtual. Called repeatedly while a test waits. Does nothing by default. */
    protected void tick() {}

    @AfterEach
    void stopEngines() {
        started.forEach(CallEngine::stop);
    }

    final Instant now() {
        return store().clock().instant();
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static String content(CallLease lease) {
        return new String(lease.call(), StandardCharsets.UTF_8);
    }

    final long waiting() {
        return engine().backlog().values().stream()
                .mapToLong(CallEngine.Backlog::waiting)
                .sum();
    }

    final void add(String id, Instant due) {
        write(() -> engine().add(null, id, bytes("content of " + id), MAIL, due));
    }

    final boolean add(String key, String id) {
        return change(() -> engine().add(key, id, bytes(id), MAIL, now()));
    }

    final void join(String id, @Nullable String key) {
        engine().transactions()
                .joinSingle(
                        () -> assertThat(engine().add(key, id, bytes(id), MAIL, now()))
                                .isTrue(),
                        false);
    }

    final void write(Runnable write) {
        engine().transactions().writeSingle(write);
    }

    final boolean change(BooleanSupplier write) {
        return engine().transactions().write(write::getAsBoolean);
    }

    final TransactionTemplate transaction() {
        return new TransactionTemplate(Objects.requireNonNull(
                transactionManager(), "override transactionManager(), because the engine joins transactions"));
    }

    /** The worker can throw: an error is one of the test. */
    final void start(CallEngine engine, CallEngine.Worker worker) {
        started.add(engine);
        engine.start(new CallEngine.Worker() {
            @Override
            public void accept(CallLease lease) {
                Passed call = new Passed(lease.id(), content(lease), lease.due(), lease.isRevived());
                try {
                    worker.accept(lease);
                    passed.add(call);
                } catch (Throwable ex) {
                    failure = ex;
                }
            }

            @Override
            public @Nullable Duration delay(String method) {
                return worker.delay(method);
            }

            @Override
            public Duration closedFor(String lane) {
                return worker.closedFor(lane);
            }

            @Override
            public boolean enter(String lane, String id) {
                return worker.enter(lane, id);
            }

            @Override
            public void cancel(String lane, String id) {
                worker.cancel(lane, id);
            }
        });
    }

    final void remove(CallLease lease) {
        assertThat(change(lease::remove)).isTrue();
    }

    final boolean hasPassed() {
        return !passed.isEmpty();
    }

    /** The next call that a worker has received and ended. */
    final Passed next() {
        until(this::hasPassed);
        return passed.remove();
    }

    /** Waits while time passes. */
    final void until(BooleanSupplier condition) {
        await(() -> {
            if (condition.getAsBoolean()) {
                return true;
            }
            tick();
            return condition.getAsBoolean();
        });
    }

    final void await(BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(failure).as("error of the worker").isNull();
            assertThat(System.nanoTime()).as("time until which to wait").isLessThan(end);
            pause();
        }
    }

    private static void pause() {
        try {
            var unused = new CountDownLatch(1).await(2, TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }
}
