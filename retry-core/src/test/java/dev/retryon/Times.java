// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.time.Duration;
import java.time.Instant;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Times of which a test replaces one part. Blocking calls do not wait. */
final class Times {

    private Times() {}

    /** Waits between two attempts. */
    @FunctionalInterface
    interface Sleep {

        void sleep(Duration delay) throws InterruptedException;
    }

    static RetryTime sleeping(Sleep sleep) {
        return new RetryTime() {
            @Override
            public void sleep(Duration delay) throws InterruptedException {
                sleep.sleep(delay);
            }
        };
    }

    static RetryTime scheduling(BiFunction<Runnable, Duration, RetryTime.Handle> schedule) {
        return new WithoutSleep() {
            @Override
            public Handle schedule(Runnable task, Duration delay) {
                return schedule.apply(task, delay);
            }
        };
    }

    static RetryTime ticking(LongSupplier nanoTime) {
        return new WithoutSleep() {
            @Override
            public long nanoTime() {
                return nanoTime.getAsLong();
            }
        };
    }

    static RetryTime telling(Supplier<Instant> instant) {
        return new WithoutSleep() {
            @Override
            public Instant instant() {
                return instant.get();
            }
        };
    }

    private abstract static class WithoutSleep implements RetryTime {

        @Override
        public void sleep(Duration delay) {}
    }
}
