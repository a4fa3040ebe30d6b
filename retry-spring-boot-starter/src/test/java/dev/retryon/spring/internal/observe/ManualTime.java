// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.RetryTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;

/** Time that passes when a test moves it on. Tasks run then, on the thread of the test. */
final class ManualTime implements LongSupplier, BiFunction<Runnable, Duration, RetryTime.Handle> {

    private final List<Task> tasks = new ArrayList<>();

    private long nanos;

    @Override
    public long getAsLong() {
        return nanos;
    }

    @Override
    public RetryTime.Handle apply(Runnable task, Duration delay) {
        Task scheduled = new Task(task, nanos + delay.toNanos());
        tasks.add(scheduled);
        return () -> tasks.remove(scheduled);
    }

    void advance(Duration by) {
        long end = nanos + by.toNanos();
        while (true) {
            Task next = tasks.stream()
                    .filter(task -> task.due() <= end)
                    .min(Comparator.comparingLong(Task::due))
                    .orElse(null);
            if (next == null) {
                nanos = end;
                return;
            }
            tasks.remove(next);
            nanos = Math.max(nanos, next.due());
            next.task().run();
        }
    }

    int waiting() {
        return tasks.size();
    }

    private record Task(Runnable task, long due) {}
}
