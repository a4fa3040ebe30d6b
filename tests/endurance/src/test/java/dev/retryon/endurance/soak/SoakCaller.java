// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.soak;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** A thread that calls until it is stopped. Others interrupt it sometimes, and it cancels some of its calls. */
final class SoakCaller extends Thread {

    /** The number of asynchronous calls of one thread that are under way together. */
    private static final int IN_FLIGHT = 64;

    private static final long END_SECONDS = 30;

    private static final SoakKind[] KINDS = SoakKind.values();

    private final SoakCalls calls;

    private final SoakTally tally;

    private final LongAdder unended;

    private final Deque<CompletableFuture<?>> underWay = new ArrayDeque<>();

    private volatile boolean ending;

    SoakCaller(SoakCalls calls, SoakTally tally, LongAdder unended) {
        super("soak-caller");
        this.calls = calls;
        this.tally = tally;
        this.unended = unended;
        setDaemon(true);
    }

    /** Lets the call that runs be the last one. */
    void end() {
        ending = true;
    }

    @Override
    public void run() {
        while (!ending) {
            Thread.interrupted();
            SoakKind kind = KINDS[ThreadLocalRandom.current().nextInt(KINDS.length)];
            tally.call(kind);
            try {
                call(kind);
            } catch (Throwable ex) {
                endedWith(ex);
            }
        }
        while (!underWay.isEmpty()) {
            await(underWay.remove());
        }
    }

    /** Whatever a call ends with, interrupts of the soak included, it only has to end. */
    @SuppressWarnings("unused")
    private static void endedWith(Throwable outcome) {}

    private void call(SoakKind kind) throws Exception {
        switch (kind) {
            case BLOCKING -> calls.blocking();
            case LIMITED -> calls.limited();
            case KEPT -> calls.kept(ThreadLocalRandom.current().nextInt());
            case BUDGETED -> calls.budgeted();
            case ASYNCHRONOUS -> keep(calls.asynchronous());
            case MONO -> keep(calls.mono().toFuture());
            case FLUX -> subscribe(calls.flux());
        }
    }

    private void subscribe(Flux<String> flux) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Disposable subscription = flux.doFinally(signal -> ended.complete(null)).subscribe(item -> {}, error -> {});
        if (ThreadLocalRandom.current().nextInt(10) == 0) {
            subscription.dispose();
        }
        keep(ended);
    }

    private void keep(CompletableFuture<?> future) {
        if (ThreadLocalRandom.current().nextInt(10) == 0) {
            future.cancel(true);
        }
        underWay.add(future);
        if (underWay.size() > IN_FLIGHT) {
            await(underWay.remove());
        }
    }

    private void await(CompletableFuture<?> future) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
        while (true) {
            try {
                future.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
                return;
            } catch (InterruptedException ex) {
                endedWith(ex);
            } catch (TimeoutException ex) {
                unended.increment();
                return;
            } catch (ExecutionException | CancellationException ex) {
                return;
            }
        }
    }
}
