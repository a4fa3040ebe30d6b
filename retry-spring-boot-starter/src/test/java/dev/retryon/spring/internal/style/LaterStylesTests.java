// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.Retry;
import dev.retryon.RetryOperation;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.ReturnStyle;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.aopalliance.intercept.MethodInvocation;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

/** Styles that are beans and are made late, crosswise with other beans that need them. */
class LaterStylesTests {

    /**
     * One thread makes a singleton, which makes a bean whose retried methods need the styles; another one has asked for the
     * styles and waits until it may make them.
     */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a deadlock would not let the context close
    void areMadeWhileOtherThreadsMakeBeans() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
                .withUserConfiguration(Application.class)
                .run(context -> {
                    Gate gate = context.getBean(Gate.class);
                    FutureTask<Object> crosswise = new FutureTask<>(() -> context.getBean(MakesAnother.class).made);
                    start(crosswise);
                    gate.making.await();
                    FutureTask<Object> service = new FutureTask<>(() -> context.getBean("service"));
                    Thread other = start(service);
                    Awaitility.await()
                            .until(() -> other.getState() == Thread.State.WAITING
                                    || other.getState() == Thread.State.BLOCKED);
                    gate.goOn.countDown();

                    assertThat(((Service) crosswise.get(30, TimeUnit.SECONDS)).serve())
                            .isEqualTo("served");
                    assertThat(((Service) service.get(30, TimeUnit.SECONDS)).serve())
                            .isEqualTo("served");
                });
    }

    /** A daemon: a deadlock fails the test, and does not hold it up. */
    private static Thread start(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static class Gate {

        private final CountDownLatch making = new CountDownLatch(1);

        private final CountDownLatch goOn = new CountDownLatch(1);
    }

    interface Service {

        String serve();
    }

    static class Retried implements Service {

        @Override
        @RetryOn(IOException.class)
        public String serve() {
            return "served";
        }
    }

    static class MakesAnother {

        private final Object made;

        MakesAnother(BeanFactory beans, Gate gate) throws InterruptedException {
            gate.making.countDown();
            gate.goOn.await();
            made = beans.getBean("service");
        }
    }

    static class OfCallables implements ReturnStyle {

        @Override
        public boolean isStyleOf(Method method) {
            return method.getReturnType() == Callable.class;
        }

        @Override
        public @Nullable Object call(
                Retry retry, MethodInvocation invocation, RetryOperation<MethodInvocation, @Nullable Object> attempts) {
            throw new UnsupportedOperationException();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Gate gate() {
            return new Gate();
        }

        @Bean
        @Lazy
        ReturnStyle ofCallables() {
            return new OfCallables();
        }

        @Bean
        @Lazy
        MakesAnother makesAnother(BeanFactory beans, Gate gate) throws InterruptedException {
            return new MakesAnother(beans, gate);
        }

        @Bean
        @Scope(BeanDefinition.SCOPE_PROTOTYPE)
        Service service() {
            return new Retried();
        }
    }
}
