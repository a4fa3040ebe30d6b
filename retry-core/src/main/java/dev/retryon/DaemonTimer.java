/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The timer of an engine: a heap and one daemon thread, which is started by the first task and goes when there has been
 * none for a while, or, once closed, when there is none left.
 *
 * <p>It stands in for a {@code ScheduledThreadPoolExecutor} because that one can't tell whose tasks it holds, so shutdown
 * could not end the waits and spare the limits of attempts; and an entry takes 32 bytes instead of 96.
 */
final class DaemonTimer implements RetryTimer {

    static final String THREAD_NAME = "retryon-timer";

    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Far enough, and differences of such times do not overflow. */
    private static final Duration FARTHEST = Duration.ofNanos(Long.MAX_VALUE / 4);

    private final Ticker ticker;

    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();

    private @Nullable Entry[] heap = new Entry[16];

    private int size;

    private @Nullable Thread thread;

    private boolean closed;

    DaemonTimer(Ticker ticker) {
        this.ticker = ticker;
    }

    @Override
    public Handle schedule(Runnable task, Duration delay) {
        long nanos = delay.compareTo(FARTHEST) > 0 ? FARTHEST.toNanos() : delay.toNanos();
        Entry entry = new Entry(task, ticker.read() + nanos);
        lock.lock();
        try {
            if (thread == null) {
                thread = start();
            }
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, size * 2);
            }
            siftUp(size++, entry);
            if (entry.index == 0) {
                changed.signal();
            }
        } finally {
            lock.unlock();
        }
        return entry;
    }

    /** Takes out the tasks of a type, and lets the thread go when there are no others. */
    <T> List<T> close(Class<T> type) {
        List<T> taken = new ArrayList<>();
        lock.lock();
        try {
            closed = true;
            List<Entry> others = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                Entry entry = at(i);
                entry.index = -1;
                if (type.isInstance(entry.task)) {
                    taken.add(type.cast(entry.task));
                } else {
                    others.add(entry);
                }
            }
            heap = new Entry[Math.max(16, others.size())];
            size = 0;
            for (Entry entry : others) {
                siftUp(size++, entry);
            }
            changed.signal();
        } finally {
            lock.unlock();
        }
        return taken;
    }

    private Thread start() {
        // No inherited thread-locals and no class loader: the thread outlives whoever happened to need it first.
        Thread started = new Thread(null, this::run, THREAD_NAME, 0, false);
        started.setDaemon(true);
        started.setContextClassLoader(null);
        started.start();
        return started;
    }

    private void run() {
        for (Runnable task = next(); task != null; task = next()) {
            try {
                task.run();
            } catch (Throwable ex) {
                CoreLog.warn("a timed task failed", ex);
            }
        }
    }

    /** Waits for a task to be due; {@code null} if the thread may go. */
    private @Nullable Runnable next() {
        lock.lock();
        try {
            long idle = IDLE_NANOS;
            while (true) {
                try {
                    if (size > 0) {
                        long wait = at(0).at - ticker.read();
                        if (wait <= 0) {
                            return remove(0).task;
                        }
                        changed.awaitNanos(wait);
                        idle = IDLE_NANOS;
                    } else if (closed || idle <= 0) {
                        thread = null;
                        return null;
                    } else {
                        idle = changed.awaitNanos(idle);
                    }
                } catch (InterruptedException ex) {
                    // Nobody has a reason to interrupt this thread, which goes when it is not needed: so on.
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private Entry at(int index) {
        Entry entry = heap[index];
        if (entry == null) {
            throw new IllegalStateException("no entry at " + index + " of " + size);
        }
        return entry;
    }

    private Entry remove(int index) {
        Entry removed = at(index);
        Entry last = at(--size);
        heap[size] = null;
        if (index < size) {
            siftDown(index, last);
            if (last.index == index) {
                siftUp(index, last);
            }
        }
        removed.index = -1;
        return removed;
    }

    private void siftUp(int from, Entry entry) {
        int index = from;
        while (index > 0) {
            int parent = (index - 1) >>> 1;
            if (!entry.isBefore(at(parent))) {
                break;
            }
            put(index, at(parent));
            index = parent;
        }
        put(index, entry);
    }

    private void siftDown(int from, Entry entry) {
        int index = from;
        while (index < size >>> 1) {
            int child = 2 * index + 1;
            if (child + 1 < size && at(child + 1).isBefore(at(child))) {
                child++;
            }
            if (!at(child).isBefore(entry)) {
                break;
            }
            put(index, at(child));
            index = child;
        }
        put(index, entry);
    }

    private void put(int index, Entry entry) {
        heap[index] = entry;
        entry.index = index;
    }

    /** A task in the heap, which knows its place so that it can be taken out at once. */
    private final class Entry implements Handle {

        private final Runnable task;

        private final long at;

        private int index = -1;

        private Entry(Runnable task, long at) {
            this.task = task;
            this.at = at;
        }

        private boolean isBefore(Entry other) {
            return at - other.at < 0;
        }

        @Override
        public void cancel() {
            lock.lock();
            try {
                if (index >= 0) {
                    remove(index);
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
