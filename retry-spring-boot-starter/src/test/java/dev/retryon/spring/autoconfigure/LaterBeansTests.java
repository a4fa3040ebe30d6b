// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.backoff.BackoffStrategy;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;

/** Beans that are made after the start, by several threads at once, and what one check does to the others. */
@Timeout(60)
class LaterBeansTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withUserConfiguration(Application.class);

    @Test
    void aCheckThatMakesABeanDoesNotHoldUpOtherThreadsThatMakeBeans() {
        runner.run(context -> {
            Gatekeeper gatekeeper = context.getBean(Gatekeeper.class);
            FutureTask<Object> slow = start(() -> context.getBean("slow"));
            gatekeeper.entered.await();
            FutureTask<Object> other = start(() -> context.getBean("quick"));
            assertThat(((Service) other.get()).serve()).isEqualTo("quick");
            gatekeeper.open.countDown();
            assertThat(((Service) slow.get()).serve()).isEqualTo("slow");
        });
    }

    @Test
    void theFirstCallOfAHealthyMethodSucceedsWhileAFaultyBeanIsChecked() {
        runner.run(context -> {
            Gatekeeper gatekeeper = context.getBean(Gatekeeper.class);
            FutureTask<Object> faulty = start(() -> context.getBean("faulty"));
            gatekeeper.entered.await();
            assertThat(context.getBean(Healthy.class).serve()).isEqualTo("healthy");
            gatekeeper.open.countDown();
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(faulty::get)
                    .havingRootCause()
                    .isInstanceOf(RetryConfigurationException.class)
                    .withMessageContaining("'5 parsecs'");
        });
    }

    @Test
    void eachThreadThatMakesAFaultyBeanLearnsOfTheFault() {
        runner.run(context -> {
            context.getBean(Gatekeeper.class).open.countDown();
            for (int i = 0; i < 2; i++) {
                FutureTask<Object> faulty = start(() -> context.getBean("faulty"));
                assertThatExceptionOfType(ExecutionException.class)
                        .isThrownBy(faulty::get)
                        .havingRootCause()
                        .isInstanceOf(RetryConfigurationException.class);
            }
            assertThat(context.getBean(Healthy.class).serve()).isEqualTo("healthy");
        });
    }

    private static FutureTask<Object> start(Callable<Object> work) {
        FutureTask<Object> task = new FutureTask<>(work);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    interface Service {

        String serve();
    }

    static class Healthy {

        @RetryOn(IOException.class)
        public String serve() {
            return "healthy";
        }
    }

    static class Gatekeeper {

        private final CountDownLatch entered = new CountDownLatch(1);

        private final CountDownLatch open = new CountDownLatch(1);
    }

    static class Slow implements Service {

        @Override
        @RetryOn(value = IOException.class, backoff = "slowBackoff")
        public String serve() {
            return "slow";
        }
    }

    static class Quick implements Service {

        @Override
        @RetryOn(IOException.class)
        public String serve() {
            return "quick";
        }
    }

    static class Unreadable implements Service {

        @RetryOn(value = IOException.class, delay = "5 parsecs")
        public void first() {}

        @Override
        @RetryOn(value = IOException.class, backoff = "slowBackoff")
        public String serve() {
            return "never";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Gatekeeper gatekeeper() {
            return new Gatekeeper();
        }

        @Bean
        Healthy healthy() {
            return new Healthy();
        }

        /** A prototype, for which Spring holds no lock. */
        @Bean
        @Scope(BeanDefinition.SCOPE_PROTOTYPE)
        BackoffStrategy slowBackoff(Gatekeeper gatekeeper) throws InterruptedException {
            gatekeeper.entered.countDown();
            gatekeeper.open.await();
            return (retry, base, previous) -> Duration.ZERO;
        }

        @Bean
        @Scope(BeanDefinition.SCOPE_PROTOTYPE)
        Service slow() {
            return new Slow();
        }

        @Bean
        @Scope(BeanDefinition.SCOPE_PROTOTYPE)
        Service quick() {
            return new Quick();
        }

        @Bean
        @Scope(BeanDefinition.SCOPE_PROTOTYPE)
        Service faulty() {
            return new Unreadable();
        }
    }
}
