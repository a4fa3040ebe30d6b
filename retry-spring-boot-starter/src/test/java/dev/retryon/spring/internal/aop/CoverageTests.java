// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.DoNotRetry;
import dev.retryon.RetryContext;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;

/** Which methods annotations reach, and which they leave alone. */
class CoverageTests {

    @Test
    void aTypeLevelAnnotationCoversPublicMethodsButThoseOfObject() {
        Applications.retrying()
                .withBean(Covered.class)
                .run(context ->
                        assertThat(retried(context, Covered.class)).containsExactlyInAnyOrder("inherited", "open"));
    }

    @Test
    void aTypeLevelAnnotationNeverCoversARecoveryMethod() {
        Applications.retrying().withBean(Recovering.class).run(context -> {
            assertThat(retried(context, Recovering.class)).containsExactlyInAnyOrder("charge", "other", "standIn");
            Recovering bean = context.getBean(Recovering.class);
            assertThatThrownBy(() -> bean.standIn("a", new IOException())).isInstanceOf(IOException.class);
            assertThat(bean.calls()).as("as a method of its own, it runs once").isEqualTo(1);
            // The other method of that name can't be a recovery method, so it is retried.
            assertThatThrownBy(() -> bean.standIn(1)).isInstanceOf(IOException.class);
            assertThat(bean.calls()).isEqualTo(4); // 1 + 3
        });
    }

    @Test
    void doNotRetryOptsAMethodOutWhateverElseIsConfigured() {
        Applications.retrying()
                .withBean(OptedOut.class)
                .withPropertyValues(
                        "retryon.methods[" + OptedOut.class.getName() + "].max-attempts=5",
                        "retryon.pointcuts.all.expression=execution(public * " + OptedOut.class.getName() + ".*(..))",
                        "retryon.policies.all.exceptions=java.io.IOException")
                .run(context -> {
                    assertThat(retried(context, OptedOut.class)).containsExactly("retried");
                    OptedOut bean = context.getBean(OptedOut.class);
                    assertThatThrownBy(bean::once).isInstanceOf(IOException.class);
                    assertThatThrownBy(bean::overridden).isInstanceOf(IOException.class);
                    assertThat(bean.calls()).isEqualTo(2); // each ran once
                    assertThatThrownBy(bean::retried).isInstanceOf(IOException.class);
                    assertThat(bean.calls()).isEqualTo(7); // 2 + 5
                });
    }

    @Test
    void doNotRetryOnAnExceptionsClassEndsTheCall() {
        Applications.retrying().withBean(Refusing.class).run(context -> {
            Refusing bean = context.getBean(Refusing.class);
            assertThatThrownBy(() -> bean.run(new Hopeless())).isInstanceOf(Hopeless.class);
            assertThatThrownBy(() -> bean.run(new UtterlyHopeless())).isInstanceOf(UtterlyHopeless.class);
            assertThatThrownBy(() -> bean.run(new IOException(new Hopeless()))).isInstanceOf(IOException.class);
            assertThat(bean.calls()).isEqualTo(3);
        });
    }

    @Test
    void aBeanWithoutARetriedMethodIsNotProxied() {
        Applications.retrying()
                .withBean(Plain.class)
                .withBean(AllOptedOut.class)
                .run(context -> {
                    assertThat(AopUtils.isAopProxy(context.getBean(Plain.class)))
                            .isFalse();
                    assertThat(AopUtils.isAopProxy(context.getBean(AllOptedOut.class)))
                            .isFalse();
                });
    }

    @Test
    void nothingIsProxiedWhenRetriesAreSwitchedOff() {
        Applications.retrying()
                .withBean(Covered.class)
                .withPropertyValues("retryon.enabled=false")
                .run(context -> assertThat(AopUtils.isAopProxy(context.getBean(Covered.class)))
                        .isFalse());
    }

    @Test
    void protectedAndPackagePrivateMethodsAreRetriedIfAnnotatedThemselves() throws IOException {
        Applications.retrying().withBean(NotPublic.class).run(context -> {
            NotPublic bean = context.getBean(NotPublic.class);
            assertThat(bean.guarded()).isEqualTo(3);
            assertThat(bean.packaged()).isEqualTo(6); // 3 + 3
        });
    }

    private static List<String> retried(BeanFactory context, Class<?> beanClass) {
        return Applications.methods(context, beanClass).stream()
                .map(method -> method.method().getName())
                .toList();
    }

    static class CoveredBase {

        public void inherited() {}
    }

    @RetryOn(IOException.class)
    static class Covered extends CoveredBase {

        public void open() {}

        protected void guarded() {}

        void packaged() {}

        public static void ofTheClass() {}

        @Override
        public String toString() {
            return "covered";
        }

        @Override
        public int hashCode() {
            return 1;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    @RetryOn(IOException.class)
    static class Recovering {

        private int calls;

        int calls() {
            return calls;
        }

        @RetryOn(recover = "standIn")
        public void charge(String order) throws IOException {
            throw new IOException();
        }

        public void other() {}

        public void standIn(String order, IOException error) throws IOException {
            calls++;
            throw error;
        }

        public void standIn(int number) throws IOException {
            calls++;
            throw new IOException();
        }

        @SuppressWarnings("unused")
        public void standIn(IOException error, RetryContext context) {}
    }

    interface Api {

        @DoNotRetry
        void overridden() throws IOException;
    }

    @RetryOn(IOException.class)
    static class OptedOut implements Api {

        private int calls;

        int calls() {
            return calls;
        }

        @DoNotRetry
        @RetryOn(IOException.class)
        public void once() throws IOException {
            calls++;
            throw new IOException();
        }

        @Override
        @RetryOn(IOException.class)
        public void overridden() throws IOException {
            calls++;
            throw new IOException();
        }

        public void retried() throws IOException {
            calls++;
            throw new IOException();
        }
    }

    @DoNotRetry
    static class Hopeless extends IOException {

        private static final long serialVersionUID = 1L;
    }

    static class UtterlyHopeless extends Hopeless {

        private static final long serialVersionUID = 1L;
    }

    static class Refusing {

        private int calls;

        int calls() {
            return calls;
        }

        @RetryOn(Exception.class)
        public void run(Exception error) throws Exception {
            calls++;
            throw error;
        }
    }

    static class Plain {

        public void run() {}
    }

    static class AllOptedOut {

        @DoNotRetry
        @RetryOn(IOException.class)
        public void run() {}
    }

    static class NotPublic {

        private int calls;

        int calls() {
            return calls;
        }

        @RetryOn(IOException.class)
        protected int guarded() throws IOException {
            return run();
        }

        @RetryOn(IOException.class)
        int packaged() throws IOException {
            return run();
        }

        private int run() throws IOException {
            if (++calls % 3 != 0) {
                throw new IOException();
            }
            return calls;
        }
    }
}
