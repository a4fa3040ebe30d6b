/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StripedCounterTests {

    private final StripedCounter counter = new StripedCounter();

    @Test
    void isZeroAtFirst() {
        assertThat(counter.sum()).isZero();
        assertThat(counter.sumThenReset()).isZero();
        assertThat(counter.toString()).isEqualTo("0");
    }

    @Test
    void losesNothingOfManyThreads() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            threads.add(new Thread(() -> {
                for (int n = 0; n < 1000; n++) {
                    counter.increment();
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(counter.sum()).isEqualTo(100_000); // 100 · 1000
        assertThat(counter.intValue()).isEqualTo(100_000);
    }

    @Test
    void countsDownAndStartsAnew() {
        counter.add(5);
        counter.decrement();
        assertThat(counter.sumThenReset()).isEqualTo(4);
        assertThat(counter.sum()).isZero();
        counter.increment();
        counter.reset();
        assertThat(counter.longValue()).isZero();
    }
}
