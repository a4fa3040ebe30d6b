// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.retryon.spring.module.LookUp;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Values that are looked up late: when, how often, and by whom. */
class LookUpTests {

    @Test
    void looksUpWhenFirstAskedAndThenNoMore() {
        Iterator<String> values = List.of("first", "second").iterator();
        LookUp<String> lookUp = new LookUp<>(values::next);

        assertThat(values).hasNext();
        assertThat(lookUp.get()).isEqualTo("first");
        assertThat(lookUp.get()).isEqualTo("first");
    }

    @Test
    void looksUpAgainWhatWasNotThere() {
        Iterator<@Nullable String> values =
                Arrays.asList(null, "there", "other").iterator();
        LookUp<@Nullable String> lookUp = new LookUp<>(values::next);

        assertThat(lookUp.get()).isNull();
        assertThat(lookUp.get()).isEqualTo("there");
        assertThat(lookUp.get()).isEqualTo("there");
    }

    @Test
    void looksUpAgainAfterAFailure() {
        Deque<RuntimeException> failures = new ArrayDeque<>(List.of(new IllegalStateException("not yet")));
        LookUp<String> lookUp = new LookUp<>(() -> {
            if (!failures.isEmpty()) {
                throw failures.remove();
            }
            return "there";
        });

        assertThatIllegalStateException().isThrownBy(lookUp::get).withMessage("not yet");
        assertThat(lookUp.get()).isEqualTo("there");
    }

    @Test
    void isNotHeldUpByAnotherThreadThatLooksUpAndBothGetTheFirstValue() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch open = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        LookUp<String> lookUp = new LookUp<>(() -> {
            if (asked.incrementAndGet() > 1) {
                return "quick";
            }
            entered.countDown();
            try {
                open.await();
            } catch (InterruptedException ex) {
                throw new IllegalStateException(ex);
            }
            return "slow";
        });
        FutureTask<String> slow = start(lookUp);
        entered.await();

        assertThat(start(lookUp).get(30, TimeUnit.SECONDS)).isEqualTo("quick");
        open.countDown();
        assertThat(slow.get(30, TimeUnit.SECONDS)).isEqualTo("quick");
    }

    private static FutureTask<String> start(LookUp<String> lookUp) {
        FutureTask<String> task = new FutureTask<>(lookUp::get);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }
}
