// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tasks by the time at which they are due. Not thread-safe.
 *
 * <p>Adding and removing call no method once they have begun to change the heap, and allocate before they do. So neither a
 * {@link StackOverflowError} of a caller with a deep stack nor an {@link OutOfMemoryError} leaves it half changed.
 */
@SuppressWarnings("NullAway") // only places from the size on are null
final class TaskHeap {

    private static final int LEAST = 16;

    private TimedTask[] tasks = new TimedTask[LEAST];

    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    @Nullable TimedTask first() {
        return size == 0 ? null : tasks[0];
    }

    /** Adds a task; returns whether it is the first now. */
    boolean add(TimedTask task) {
        if (size == tasks.length) {
            tasks = Arrays.copyOf(tasks, size * 2);
        }
        TimedTask[] heap = tasks;
        int index = size++;
        while (index > 0) {
            int parent = (index - 1) >>> 1;
            TimedTask above = heap[parent];
            if (task.at - above.at >= 0) {
                break;
            }
            heap[index] = above;
            above.index = index;
            index = parent;
        }
        heap[index] = task;
        task.index = index;
        return index == 0;
    }

    /** Removes a task; returns whether it was there. */
    boolean remove(TimedTask task) {
        int index = task.index;
        if (index < 0) {
            return false;
        }
        TimedTask[] heap = tasks;
        task.index = -1;
        TimedTask last = heap[--size];
        heap[size] = null;
        if (last == task) {
            return true;
        }
        while (index > 0) {
            int parent = (index - 1) >>> 1;
            TimedTask above = heap[parent];
            if (last.at - above.at >= 0) {
                break;
            }
            heap[index] = above;
            above.index = index;
            index = parent;
        }
        while (index < size >>> 1) {
            int child = 2 * index + 1;
            TimedTask below = heap[child];
            if (child + 1 < size && heap[child + 1].at - below.at < 0) {
                below = heap[++child];
            }
            if (below.at - last.at >= 0) {
                break;
            }
            heap[index] = below;
            below.index = index;
            index = child;
        }
        heap[index] = last;
        last.index = index;
        return true;
    }

    <T extends TimedTask> List<T> all(Class<T> type) {
        List<T> all = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            if (type.isInstance(tasks[i])) {
                all.add(type.cast(tasks[i]));
            }
        }
        return all;
    }

    <T extends TimedTask> List<T> removeAll(Class<T> type) {
        List<T> removed = all(type);
        removed.forEach(this::remove);
        if (size == 0) {
            tasks = new TimedTask[LEAST];
        }
        return removed;
    }
}
