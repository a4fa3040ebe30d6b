// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** Expressions and backoffs that call woven methods. */
class DecisionsTests {

    @Test
    void aGateCallsAMethodOfItsBeanOnce() {
        try (ConfigurableApplicationContext context = AspectsModule.start(Gated.class)) {
            Gated bean = context.getBean(Gated.class);

            assertThatExceptionOfType(IOException.class).isThrownBy(bean::load).withMessage("load");
            assertThat(bean.loads).hasValue(1);
            assertThat(bean.questions).hasValue(1);
        }
    }

    @Test
    void aConditionOnResultsDoesNotApplyToTheMethodThatItCalls() {
        try (ConfigurableApplicationContext context = AspectsModule.start(Polling.class)) {
            Polling bean = context.getBean(Polling.class);

            assertThat(bean.state()).isEqualTo("done");
            assertThat(bean.later().join()).isEqualTo("done");
            assertThat(bean.questions).hasValue(4); // two for each call
        }
    }

    @Test
    void anObjectThatIsNoBeanJudgesItsOwnResults() {
        try (ConfigurableApplicationContext context = AspectsModule.start(Shop.class)) {
            Polling object = new Polling();

            assertThat(object.state()).isEqualTo("done");
            assertThat(object.questions).hasValue(2);
        }
    }

    @Test
    void theKeyOfABudgetIsComputedOncePerCall() throws IOException {
        try (ConfigurableApplicationContext context =
                AspectsModule.run("aspectj", Keyed.class).start("--retryon.budgets.tenants.ratio=0.5")) {
            Keyed bean = context.getBean(Keyed.class);

            assertThat(bean.load("blue")).isEqualTo("blue at 3");
            assertThat(bean.questions).hasPositiveValue().hasValueLessThan(4);
        }
    }

    @Test
    void aStaticMethodIsJudgedByAnotherOne() throws IOException {
        try (ConfigurableApplicationContext context = AspectsModule.start(Shop.class)) {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(Static::load)
                    .withMessage("load");
            assertThat(Static.QUESTIONS).hasValue(1);
        }
    }

    @Test
    void aMethodOfAnotherBeanIsRetriedAsThroughAProxy() {
        try (ConfigurableApplicationContext context = AspectsModule.start(Asking.class, Shop.class)) {
            Asking bean = context.getBean(Asking.class);

            assertThatExceptionOfType(IOException.class).isThrownBy(bean::load).withMessage("asking");
            assertThat(bean.loads).hasValue(3);
            assertThat(context.getBean(Shop.class).partner.attempts("public")).isEqualTo(4);
        }
    }

    @RetryOn(value = IOException.class, onlyIf = "isOpen()")
    static class Gated {

        final AtomicInteger loads = new AtomicInteger();

        final AtomicInteger questions = new AtomicInteger();

        public void load() throws IOException {
            loads.incrementAndGet();
            throw new IOException("load");
        }

        public boolean isOpen() throws IOException {
            if (questions.incrementAndGet() > 100) {
                return false;
            }
            throw new IOException("not known");
        }
    }

    @RetryOn(retryIf = "isPending(#result)", backoff = "pause")
    static class Polling {

        final AtomicInteger questions = new AtomicInteger();

        public String state() {
            return next();
        }

        public CompletableFuture<String> later() {
            return CompletableFuture.completedFuture(next());
        }

        private String next() {
            return questions.get() % 2 == 0 ? "pending" : "done";
        }

        public boolean isPending(Object result) {
            if (questions.incrementAndGet() > 100) {
                throw new IllegalStateException("asked without end");
            }
            return "pending".equals(result);
        }

        public Duration pause(int retry, Duration base) {
            return base;
        }
    }

    @RetryOn(value = IOException.class, budget = "tenants", budgetKey = "tenant(#p0)")
    static class Keyed {

        final AtomicInteger questions = new AtomicInteger();

        private final Partner partner = new Partner();

        public String load(String tenant) throws IOException {
            return partner.fetch(tenant);
        }

        public String tenant(String of) {
            if (questions.incrementAndGet() > 100) {
                throw new IllegalStateException("asked without end");
            }
            return of;
        }
    }

    static class Static {

        static final AtomicInteger QUESTIONS = new AtomicInteger();

        @RetryOn(value = IOException.class, onlyIf = "T(dev.retryon.aspects.DecisionsTests$Static).isOpen()")
        public static void load() throws IOException {
            throw new IOException("load");
        }

        @RetryOn(IOException.class)
        public static boolean isOpen() throws IOException {
            QUESTIONS.incrementAndGet();
            throw new IOException("not known");
        }
    }

    static class Asking {

        final AtomicInteger loads = new AtomicInteger();

        @RetryOn(value = IOException.class, onlyIf = "@shop.visible() != null")
        public void load() throws IOException {
            loads.incrementAndGet();
            throw new IOException("asking");
        }
    }
}
