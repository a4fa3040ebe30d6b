// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.shared;

import dev.retryon.ExhaustionAction;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.backoff.DurationText;
import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.module.BackgroundTasks;
import dev.retryon.spring.module.ChangesForAllNodes;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.MethodsCheck;
import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RuntimeChange;
import dev.retryon.spring.module.StarterLog;
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
 * Changes of settings that an operator makes for all nodes. The changes are stored in the shared database. Each node reads
 * them before it accepts requests, and again in every interval. While the database does not respond, a node keeps its
 * settings. This class does nothing in an application without a shared database. Thread-safe.
 */
public final class SharedSettings implements ChangesForAllNodes, SmartLifecycle, MethodsCheck {

    private static final String ENABLED = "retryon.jdbc.shared-settings.enabled";

    /** Starts before servers and all other components that receive calls. */
    private static final int PHASE = Integer.MIN_VALUE + 1000;

    private static final Duration OPENING = Duration.ofSeconds(2);

    private static final Duration HANGING = Duration.ofSeconds(30);

    private final Options options;

    private final Supplier<RetryStore> store;

    private final SharedChanges changes;

    private final ExtensionErrors errors;

    private final BackgroundTasks tasks = new BackgroundTasks("retryon-store-");

    private final AtomicBoolean isAway = new AtomicBoolean();

    private volatile boolean needed;

    private volatile boolean active;

    /** The start of the current reading; zero if none is running. */
    private volatile long readingSince;

    /**
     * Whether and how changes are shared.
     *
     * @param enabled {@code retryon.jdbc.shared-settings.enabled}; {@code null} to share if a method stores its calls
     * @param inMemory whether the application stores calls in memory, as in tests
     * @param ownFile whether the store is a separate file, which no other node has
     */
    public record Options(@Nullable Boolean enabled, boolean inMemory, boolean ownFile, Duration interval) {}

    /** Creates the object, which does not share changes before methods are checked. */
    public SharedSettings(
            Options options,
            Supplier<RetryStore> store,
            Supplier<ChangesForAllNodes.Node> settings,
            ExtensionErrors errors,
            Clock clock) {
        this.options = options;
        this.store = store;
        this.errors = errors;
        this.changes = new SharedChanges(() -> new SharedChangeTable(store.get()), settings, errors, clock);
    }

    @Override
    public void check(List<RetriedMethod> methods, RetryFaults faults) {
        if (Boolean.TRUE.equals(options.enabled())) {
            openStore(faults);
            need();
        } else if (options.enabled() == null
                && !options.inMemory()
                && !options.ownFile()
                && methods.stream().anyMatch(SharedSettings::isStored)) {
            need();
        }
    }

    private static boolean isStored(RetriedMethod method) {
        return method.isHandedOver() || method.policy().onExhaustion() == ExhaustionAction.DEAD_LETTER;
    }

    private void openStore(RetryFaults faults) {
        if (options.ownFile()) {
            faults.add(
                    ENABLED,
                    "is 'true', but retryon.durable.store is 'embedded', a file that no other node can read; configure"
                            + " a DataSource that all nodes share");
            return;
        }
        try {
            var unused = store.get();
        } catch (RetryConfigurationException ex) {
            ex.faults().forEach(faults::add);
        } catch (NestedRuntimeException ex) {
            faults.add(ENABLED, "is 'true', but the database cannot be used: " + ex.getMessage());
        }
    }

    private synchronized void need() {
        if (!needed) {
            needed = true;
            var unused = open();
        }
    }

    @Override
    public boolean isShared() {
        return needed;
    }

    @Override
    public @Nullable RuntimeChange change(
            RuntimeChange.Scope scope,
            String name,
            Map<String, @Nullable String> values,
            @Nullable Duration lasting,
            @Nullable String by) {
        requireShared();
        return changes.change(new RuntimeChange.Target(scope, name, true), values, lasting, by);
    }

    @Override
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
            reason = "retryon.durable.store is 'embedded', a file that no other node can read";
        } else {
            reason = "this application stores no calls in a database; set " + ENABLED
                    + "=true to share changes through its DataSource";
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
        // Without the lock, because the first reading can create beans.
        try {
            if (!first.await(OPENING.toNanos(), TimeUnit.NANOSECONDS)) {
                StarterLog.warn("changes for all nodes could not be read within "
                        + DurationText.print(OPENING)
                        + "; this node starts without them, and applies them when the database responds");
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
                StarterLog.info("changes for all nodes can be read again");
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
            reportAway(new TimeoutException("no response for more than " + DurationText.print(HANGING)));
        }
    }

    private void reportAway(Throwable error) {
        if (isRunning() && !isAway.getAndSet(true)) {
            errors.reportToOperator(
                    ExtensionErrorListener.Kind.STORE,
                    "changes for all nodes could not be read; this node continues with the changes that it has read,"
                            + " and tries again every " + DurationText.print(options.interval()),
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
