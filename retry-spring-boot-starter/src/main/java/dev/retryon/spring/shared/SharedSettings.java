/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.shared;

import dev.retryon.OnExhaustion;
import dev.retryon.spring.control.RuntimeChange;
import dev.retryon.spring.control.RuntimeSettings;
import dev.retryon.spring.method.MethodsCheck;
import dev.retryon.spring.method.RetriedMethod;
import dev.retryon.spring.settings.BackgroundTasks;
import dev.retryon.spring.settings.RetryConfigurationException;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.settings.RuntimeFaults;
import dev.retryon.spring.settings.StarterLog;
import dev.retryon.spring.store.RetryStore;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.NestedRuntimeException;

/**
 * Changes of settings that an operator makes for all nodes. They are kept in the shared database; each node reads them before
 * it takes requests, and again in every interval. While the database does not answer, a node goes on with what it has. Does
 * nothing in an application that has no shared database. Thread-safe.
 *
 * @since 0.1.0
 */
public final class SharedSettings implements SmartLifecycle, MethodsCheck {

    private static final String ENABLED = "retryon.jdbc.shared-settings.enabled";

    /** Before servers and whatever else lets calls in. */
    private static final int PHASE = Integer.MIN_VALUE + 1000;

    /** How long the start waits for the first reading. */
    private static final Duration OPENING = Duration.ofSeconds(2);

    /** How long a reading may take until it is reported. */
    private static final Duration HANGING = Duration.ofSeconds(30);

    private final Options options;

    private final Supplier<RetryStore> store;

    private final SharedChanges changes;

    private final RuntimeFaults faults;

    private final BackgroundTasks tasks = new BackgroundTasks("retryon-shared-");

    private final AtomicBoolean isAway = new AtomicBoolean();

    private volatile boolean needed;

    private volatile boolean active;

    /** When the reading began that has not ended; zero if there is none. */
    private volatile long readingSince;

    /**
     * Whether and how changes are shared.
     *
     * @param enabled {@code retryon.jdbc.shared-settings.enabled}; {@code null} where a method keeps its calls in the store
     * @param keepsLetters whether the dead letters are kept in the store too
     * @param ownFile whether the store is a file of RetryOn's own, which no other node has
     * @param interval between readings
     */
    public record Options(@Nullable Boolean enabled, boolean keepsLetters, boolean ownFile, Duration interval) {}

    /**
     * Shares nothing until methods are checked.
     *
     * @param options whether and how changes are shared
     * @param store gives the database
     * @param settings gives what changes settings of this process
     * @param faults counts what goes wrong
     * @param clock the clock that changes are dated and ended by
     */
    public SharedSettings(
            Options options,
            Supplier<RetryStore> store,
            Supplier<RuntimeSettings> settings,
            RuntimeFaults faults,
            Clock clock) {
        this.options = options;
        this.store = store;
        this.faults = faults;
        this.changes = new SharedChanges(() -> new SharedChangeTable(store.get()), settings, faults, clock);
    }

    @Override
    public void check(List<RetriedMethod> methods, RetryFaults wrong) {
        if (Boolean.TRUE.equals(options.enabled())) {
            openStore(wrong);
            need();
        } else if (options.enabled() == null
                && !options.ownFile()
                && methods.stream().anyMatch(this::isKept)) {
            need();
        }
    }

    private boolean isKept(RetriedMethod method) {
        return method.isDurable()
                || (options.keepsLetters() && method.policy().onExhaustion() == OnExhaustion.DEAD_LETTER);
    }

    private void openStore(RetryFaults wrong) {
        if (options.ownFile()) {
            wrong.add(
                    ENABLED,
                    "is 'true', but retryon.durable.store is 'embedded', a file of RetryOn's own that no other node has");
            return;
        }
        try {
            var unused = store.get();
        } catch (RetryConfigurationException ex) {
            ex.faults().forEach(wrong::add);
        } catch (NestedRuntimeException ex) {
            wrong.add(ENABLED, "is 'true', but the database can't be used: " + ex.getMessage());
        }
    }

    private synchronized void need() {
        if (!needed) {
            needed = true;
            var unused = open();
        }
    }

    /**
     * Whether settings can be changed for all nodes.
     *
     * @return {@code false} if there is no shared database
     */
    public boolean isShared() {
        return needed;
    }

    /**
     * Changes settings for all nodes. What was changed for all nodes before for the same scope and name still holds, as far as
     * it is not changed now. This node follows at once.
     *
     * @param scope what kind of thing the name is
     * @param name the name; empty for {@link RuntimeChange.Scope#ALL}
     * @param values texts by attribute, such as {@code maxAttempts}; {@code null} takes a change back
     * @param lasting after what time the change ends by itself, more than zero and at most 365 days; {@code null} for never
     * @param by who does it, or {@code null}
     * @return what holds now; {@code null} if nothing is left of it
     * @throws IllegalArgumentException if anything is wrong, or if there is no shared database; nothing has changed then
     * @throws SharedStoreException if the database does not answer
     */
    public @Nullable RuntimeChange change(
            RuntimeChange.Scope scope,
            String name,
            Map<String, @Nullable String> values,
            @Nullable Duration lasting,
            @Nullable String by) {
        requireShared();
        return changes.change(new RuntimeChange.Target(scope, name, true), values, lasting, by);
    }

    /**
     * Takes back all that was changed for all nodes for a scope and a name.
     *
     * @param scope what kind of thing the name is
     * @param name the name; empty for {@link RuntimeChange.Scope#ALL}
     * @param by who does it, or {@code null}
     * @return {@code false} if nothing was changed
     * @throws IllegalArgumentException if there is no shared database
     * @throws SharedStoreException if the database does not answer
     */
    public boolean takeBack(RuntimeChange.Scope scope, String name, @Nullable String by) {
        requireShared();
        return changes.takeBack(new RuntimeChange.Target(scope, name, true), by);
    }

    private void requireShared() {
        if (needed) {
            return;
        }
        String reason;
        if (Boolean.FALSE.equals(options.enabled())) {
            reason = ENABLED + " is 'false'";
        } else if (options.ownFile()) {
            reason =
                    "calls are kept in a file of RetryOn's own, retryon.durable.store=embedded, which no other node has";
        } else {
            reason = "this application keeps no calls in a database; " + ENABLED
                    + "=true shares changes through its DataSource";
        }
        throw new IllegalArgumentException("scope is 'all', but " + reason);
    }

    @Override
    public void start() {
        CountDownLatch first;
        synchronized (this) {
            active = true;
            first = open();
        }
        if (first == null) {
            return;
        }
        // Without the lock: who reads may be the first to need beans.
        try {
            if (!first.await(OPENING.toNanos(), TimeUnit.NANOSECONDS)) {
                StarterLog.warn("what operators have changed for all nodes could not be read in " + OPENING
                        + "; this node starts without it, and follows when the database answers");
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized @Nullable CountDownLatch open() {
        CountDownLatch first = new CountDownLatch(1);
        Runnable reading = () -> {
            read();
            first.countDown();
        };
        boolean opened = needed
                && active
                && tasks.start(
                        new BackgroundTasks.Task(reading, Duration.ZERO, options.interval()),
                        new BackgroundTasks.Task(this::watch, HANGING, HANGING.dividedBy(3)));
        return opened ? first : null;
    }

    private void read() {
        readingSince = Math.max(1, System.nanoTime());
        try {
            changes.read();
            if (isAway.getAndSet(false)) {
                StarterLog.info("what operators change for all nodes can be read again");
            }
        } catch (Throwable ex) {
            reportAway(ex);
        } finally {
            readingSince = 0;
        }
    }

    private void watch() {
        long since = readingSince;
        if (since != 0 && System.nanoTime() - since > HANGING.toNanos()) {
            reportAway(new TimeoutException("no answer for more than " + HANGING));
        }
    }

    private void reportAway(Throwable error) {
        if (isRunning() && !isAway.getAndSet(true)) {
            faults.reportToOperator(
                    RuntimeFaults.Kind.STORE,
                    "what operators change for all nodes could not be read; this node goes on with what it has read"
                            + " before, and tries again every " + options.interval(),
                    error);
        }
    }

    @Override
    public void stop() {
        synchronized (this) {
            active = false;
        }
        tasks.stop();
    }

    @Override
    public boolean isRunning() {
        return active;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
