/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * A counter for calls that succeed at once. Each thread adds to one of several cells, chosen by its id, with an atomic
 * addition that can't fail. A plain {@link LongAdder} has one cell until threads meet in it, and then at most as many as there
 * are processors: two threads cost it a third more than one, here they cost the same.
 */
final class StripedCounter extends LongAdder {

    private static final long serialVersionUID = 1L;

    /** A power of two, four for each processor: the ids of threads that run at the same time are seldom equal in it. */
    private static final int CELLS =
            Integer.highestOneBit(Math.min(32, Runtime.getRuntime().availableProcessors()) * 8 - 1);

    /** Two cache lines apart, because processors fetch lines in pairs: 2 to the 4th longs. */
    private static final int SHIFT = 4;

    /** Made by the first call: of many methods few are called soon. */
    @SuppressWarnings("serial") // counters are not serialized
    private volatile AtomicLongArray cells = new AtomicLongArray(0);

    @Override
    public void add(long change) {
        AtomicLongArray known = cells;
        if (known.length() == 0) {
            known = made();
        }
        known.getAndAdd((((int) Thread.currentThread().getId() & (CELLS - 1)) + 1) << SHIFT, change);
    }

    private synchronized AtomicLongArray made() {
        if (cells.length() == 0) {
            cells = new AtomicLongArray((CELLS + 2) << SHIFT);
        }
        return cells;
    }

    @Override
    public void increment() {
        add(1);
    }

    @Override
    public void decrement() {
        add(-1);
    }

    @Override
    public long sum() {
        AtomicLongArray known = cells;
        long sum = 0;
        for (int i = 0; i < known.length(); i += 1 << SHIFT) {
            sum += known.get(i);
        }
        return sum;
    }

    @Override
    public void reset() {
        sumThenReset();
    }

    @Override
    public long sumThenReset() {
        AtomicLongArray known = cells;
        long sum = 0;
        for (int i = 0; i < known.length(); i += 1 << SHIFT) {
            sum += known.getAndSet(i, 0);
        }
        return sum;
    }
}
