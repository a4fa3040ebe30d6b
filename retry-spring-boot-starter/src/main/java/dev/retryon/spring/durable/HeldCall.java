/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import dev.retryon.spring.settings.RuntimeFaults;
import dev.retryon.spring.store.RetryStore;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A stored call that a worker of this process makes an attempt of. What comes of the attempt is written once, together with the
 * end of the hold. While the database is away the worker waits for it, because only it knows how the attempt ended.
 */
final class HeldCall {

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final CallLease lease;

    private final RetryStore store;

    private final @Nullable StoredCall call;

    private final String raw;

    private final RuntimeFaults faults;

    private final BooleanSupplier stopped;

    private boolean settled;

    /**
     * A call that was read; {@code raw} are its arguments, or the whole of it if it could not be read. Once the workers are
     * {@code stopped}, the database is not waited for.
     */
    HeldCall(
            CallLease lease,
            RetryStore store,
            @Nullable StoredCall call,
            String raw,
            RuntimeFaults faults,
            BooleanSupplier stopped) {
        this.lease = lease;
        this.store = store;
        this.call = call;
        this.raw = raw;
        this.faults = faults;
        this.stopped = stopped;
    }

    CallLease lease() {
        return lease;
    }

    /** The name of the bean that was called; {@code null} if it is not known. */
    @Nullable String bean() {
        return call == null ? null : call.bean();
    }

    /** The call; throws IllegalStateException if it could not be read, so that no attempt of it is made. */
    StoredCall call() {
        if (call == null) {
            throw new IllegalStateException("call " + lease.id() + " can't be read");
        }
        return call;
    }

    /** Whether it could be read. */
    boolean isReadable() {
        return call != null;
    }

    /** The arguments as they are stored; of a call that can't be read, all of it. */
    String rawArguments() {
        return call == null ? raw : call.arguments();
    }

    /** Whether it is written what came of the attempt, or another process holds the call. */
    boolean isSettled() {
        return settled;
    }

    /** Writes what came of the attempt with a single statement; else like {@link #settleTogether}. */
    void settle(Runnable statement) {
        settleBy(() -> store.writeSingle(statement));
    }

    /**
     * Writes what came of the attempt, in one transaction.
     *
     * @throws LeaseLostException if another process holds the call: nothing is written
     * @throws RuntimeException if it can't be written: the hold lapses then, and the call is made again
     */
    void settleTogether(Runnable writes) {
        settleBy(() -> store.<@Nullable Void>write(() -> {
            writes.run();
            return null;
        }));
    }

    private void settleBy(Runnable transaction) {
        // A connection is not given to an interrupted thread.
        boolean interrupted = Thread.interrupted();
        try {
            write(transaction);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void write(Runnable transaction) {
        boolean tried = false;
        while (true) {
            try {
                transaction.run();
                settled = true;
                return;
            } catch (LeaseLostException ex) {
                settled = true;
                if (tried) {
                    // The commit before may have been lost on its way back.
                    return;
                }
                throw ex;
            } catch (RuntimeException ex) {
                // The attempt has ended after the application, whose database is closed.
                if (!Outage.isOutage(ex) || stopped.getAsBoolean()) {
                    throw ex;
                }
                if (!tried) {
                    faults.report(
                            RuntimeFaults.Kind.STORE,
                            call == null ? "stored calls" : call.name(),
                            "what came of an attempt can't be written now; the worker waits for the database",
                            ex);
                }
                tried = true;
                try {
                    Thread.sleep(PAUSE.toMillis());
                } catch (InterruptedException interruption) {
                    Thread.currentThread().interrupt();
                    throw ex;
                }
            }
        }
    }
}
