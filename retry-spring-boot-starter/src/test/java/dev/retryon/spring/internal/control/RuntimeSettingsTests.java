// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.retryon.Retry;
import dev.retryon.RetryContext;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.RetrySettingsChanged;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.internal.policy.NamedRetries;
import dev.retryon.spring.internal.policy.RetryMethodResolver;
import dev.retryon.spring.internal.policy.StandaloneRetry;
import dev.retryon.spring.module.RuntimeChange;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/** Changes of settings beside what the endpoint shows of them: beans that come late, and what changes leave behind. */
@ExtendWith(OutputCaptureExtension.class)
class RuntimeSettingsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withUserConfiguration(Application.class);

    private final ApplicationContextRunner withoutBeans =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class));

    private static RuntimeSettings settings(ApplicationContext context) {
        return new RuntimeSettings(
                context.getBean(RetryMethodResolver.class),
                context.getBean(NamedRetries.class),
                Clock.systemUTC(),
                changed -> {});
    }

    private static void change(RuntimeSettings settings, String attribute, @Nullable String value) {
        Map<String, @Nullable String> values = new HashMap<>();
        values.put(attribute, value);
        settings.change(new RuntimeChange.Target(RuntimeChange.Scope.ALL, "", false), values, null, null);
    }

    @Test
    void aLateBeanThatAChangeDoesNotFitIsMadeWithoutIt(CapturedOutput output) {
        runner.run(context -> {
            RuntimeSettings settings = settings(context);
            change(settings, "maxDelay", "500ms");

            Late late = context.getBean(Late.class);

            assertThatExceptionOfType(IOException.class).isThrownBy(late::go);
            assertThat(policy(context, "LateBean.go").maxDelay()).isEqualTo(Duration.ofMinutes(1));
            assertThat(output)
                    .containsOnlyOnce("a change by an operator does not apply to LateBean.go")
                    .contains("must not be below delay");

            // From now on the bean is one of those that a change has to fit, and it does not stand in the way of
            // others.
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> change(settings, "maxDelay", "400ms"))
                    .withMessageContaining("LateBean");
            settings.change(
                    new RuntimeChange.Target(RuntimeChange.Scope.NAME, "Shop.buy", false),
                    Map.of("maxAttempts", "2"),
                    null,
                    null);
            assertThat(policy(context, "Shop.buy"))
                    .returns(2, RetryPolicy::maxAttempts)
                    .returns(Duration.ofMillis(500), RetryPolicy::maxDelay);
            change(settings, "maxDelay", "30s");
            assertThat(policy(context, "LateBean.go").maxDelay()).isEqualTo(Duration.ofSeconds(30));
        });
    }

    @Test
    void aChangeOverridesTheRulesForIndividualErrors() {
        withoutBeans
                .withPropertyValues(
                        "retryon.policies.orders.exceptions=java.io.IOException",
                        "retryon.policies.orders.errors[java.io.FileNotFoundException].max-attempts=7",
                        "retryon.policies.orders.errors[java.io.FileNotFoundException].delay=2s")
                .run(context -> {
                    Retry retry = context.getBean(RetryRegistry.class).retry("orders");

                    change(settings(context), "maxAttempts", "5");

                    assertThat(retry.policy().errorRules().values())
                            .singleElement()
                            .returns(5, RetryPolicy::maxAttempts)
                            .returns(Duration.ofSeconds(2), RetryPolicy::delay);
                });
    }

    @Test
    void ofAPolicyBuiltInCodeTheChangedValuesAloneAreReplaced() {
        runner.run(context -> {
            RetryPolicy policy = RetryPolicy.builder()
                    .retryOn(IOException.class)
                    .delay(Duration.ofSeconds(2))
                    .onError(FileNotFoundException.class, rule -> rule.maxAttempts(7))
                    .build();
            RetryRegistry registry = context.getBean(RetryRegistry.class);
            Retry replaced = registry.retry("orders", policy);
            Retry latest = registry.retry("orders", policy);
            RuntimeSettings settings = settings(context);

            change(settings, "maxDelay", "500ms");
            change(settings, "maxAttempts", "5");

            assertThat(List.of(replaced, latest)).extracting(Retry::policy).allSatisfy(changed -> {
                assertThat(changed.exceptions()).isEqualTo(policy.exceptions());
                assertThat(changed.maxAttempts()).isEqualTo(5);
                assertThat(changed.delay()).isEqualTo(Duration.ofMillis(500));
                assertThat(changed.maxDelay()).isEqualTo(Duration.ofMillis(500));
                assertThat(changed.errorRules().values())
                        .singleElement()
                        .extracting(RetryPolicy::maxAttempts)
                        .isEqualTo(7);
            });
            assertThat(registry.retry("later", policy).policy().maxAttempts()).isEqualTo(5);

            change(settings, "maxDelay", null);
            change(settings, "maxAttempts", null);
            assertThat(latest.policy().toString()).isEqualTo(policy.toString());
        });
    }

    @Test
    void whatNamesAMethodOfABeanIsForMethodsAloneIfEverythingChanges() {
        withoutBeans.run(context -> {
            Retry retry = context.getBean(RetryRegistry.class)
                    .retry("orders", RetryPolicy.builder().build());
            RuntimeSettings settings = settings(context);

            settings.change(
                    new RuntimeChange.Target(RuntimeChange.Scope.ALL, "", false),
                    Map.of("beforeRetry", "rest", "maxAttempts", "5"),
                    null,
                    null);

            assertThat(retry.policy().maxAttempts()).isEqualTo(5);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> settings.change(
                            new RuntimeChange.Target(RuntimeChange.Scope.NAME, "orders", false),
                            Map.of("beforeRetry", "rest"),
                            null,
                            null))
                    .withMessageContaining("only a retried method of a bean can run a method before a retry");
        });
    }

    @Test
    @Timeout(60)
    void nothingIsLeftOfChangesThatWereTakenBack() {
        runner.run(context -> {
            RuntimeSettings settings = settings(context);
            change(settings, "maxAttempts", "7");
            WeakReference<RetryPolicy> changed = new WeakReference<>(policy(context, "Shop.buy"));
            assertThat(changed.get()).extracting(RetryPolicy::maxAttempts).isEqualTo(7);

            change(settings, "maxAttempts", null);

            assertThat(policy(context, "Shop.buy").maxAttempts()).isEqualTo(3);
            while (changed.get() != null) {
                assertThat(Thread.interrupted()).as("too late").isFalse();
                System.gc();
            }
        });
    }

    @Test
    @Timeout(60)
    void settingsOfAPolicyBuiltInCodeCanBeReadWhileTheyChange() {
        withoutBeans.run(context -> {
            context.getBean(RetryRegistry.class)
                    .retry("orders", RetryPolicy.builder().build());
            StandaloneRetry retry =
                    Objects.requireNonNull(context.getBean(NamedRetries.class).registered("orders"));
            RuntimeSettings settings = settings(context);
            AtomicBoolean stopped = new AtomicBoolean();
            CompletableFuture<Void> reading = CompletableFuture.runAsync(
                    () -> {
                        while (!stopped.get()) {
                            assertThat(retry.shownSettings()).containsKey("maxAttempts");
                        }
                    },
                    new SimpleAsyncTaskExecutor("reader-"));

            for (int i = 0; i < 2000 && !reading.isDone(); i++) {
                change(settings, "maxAttempts", i % 2 == 0 ? "5" : null);
            }

            stopped.set(true);
            assertThat(reading).succeedsWithin(Duration.ofSeconds(30));
        });
    }

    @Test
    void aCallThatWaitsIsGivenUpAlsoIfNoCodeHasItsRetryAnyMore() {
        withoutBeans.run(context -> {
            RetryRegistry registry = context.getBean(RetryRegistry.class);
            RuntimeSettings settings = settings(context);
            RetryPolicy policy = RetryPolicy.builder()
                    .retryOn(IOException.class)
                    .delay(Duration.ofHours(1))
                    .build();
            CompletableFuture<String> waiting = registry.retry("orders", policy)
                    .callAsync(() -> CompletableFuture.failedFuture(new IOException("down")));
            WeakReference<StandaloneRetry> replaced =
                    new WeakReference<>(context.getBean(NamedRetries.class).registered("orders"));
            registry.retry("orders", policy);
            for (int i = 0; i < 20 && replaced.get() != null; i++) {
                System.gc();
            }

            change(settings, "retryable", "false");

            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> waiting.get(30, TimeUnit.SECONDS))
                    .withCauseInstanceOf(IOException.class);
        });
    }

    @Test
    void eventsComeInTheOrderOfTheChangesAlsoIfAListenerMakesOne() {
        runner.withBean(Successor.class).withBean(Heard.class).run(context -> {
            RuntimeSettings settings = context.getBean(RuntimeSettings.class);

            change(settings, "maxAttempts", "7");

            assertThat(settings.changes())
                    .singleElement()
                    .extracting(change -> change.settings().texts())
                    .isEqualTo(Map.of("maxAttempts", "8"));
            assertThat(context.getBean(Heard.class).events)
                    .containsExactly("all retries: changed to maxAttempts=7", "all retries: changed to maxAttempts=8");
        });
    }

    /** Makes a change when it hears of another one. */
    static class Successor {

        private final ObjectProvider<RuntimeSettings> settings;

        Successor(ObjectProvider<RuntimeSettings> settings) {
            this.settings = settings;
        }

        @EventListener
        @Order(1)
        void changed(RetrySettingsChanged event) {
            if (event.description().endsWith("=7")) {
                change(settings.getObject(), "maxAttempts", "8");
            }
        }
    }

    static class Heard {

        private final List<String> events = new ArrayList<>();

        @EventListener
        @Order(2)
        void changed(RetrySettingsChanged event) {
            events.add(event.description());
        }
    }

    @Test
    void whetherRetriesAreSwitchedOffIsAskedWhenAnAttemptHasFailed() {
        runner.run(context -> {
            RuntimeSettings settings = settings(context);
            Kiosk kiosk = context.getBean(Kiosk.class);

            change(settings, "retryable", "false");
            kiosk.during(() -> change(settings, "retryable", null));
            assertThatCode(kiosk::sell).doesNotThrowAnyException();
            assertThat(kiosk.attempts()).containsExactly("1, the last", "2");

            kiosk.during(() -> change(settings, "retryable", "false"));
            assertThatExceptionOfType(IOException.class).isThrownBy(kiosk::sell);
            assertThat(kiosk.attempts()).containsExactly("1, the last", "2", "1");
        });
    }

    @Test
    @Timeout(60)
    void whatIsTakenBackWhileItTakesEffectDoesNotStay() {
        runner.run(context -> {
            RuntimeSettings settings = settings(context);
            RuntimeChange.Target target = new RuntimeChange.Target(RuntimeChange.Scope.ALL, "", true);
            RuntimeChange change = settings.draft(target, null, Map.of("maxAttempts", "7"), null, null);
            Thread other = new Thread(() -> settings.follow(target, null, null, () -> true));

            settings.follow(target, change, null, () -> {
                other.start();
                while (other.getState() != Thread.State.TERMINATED && other.getState() != Thread.State.BLOCKED) {
                    Thread.onSpinWait();
                }
                return true;
            });
            other.join();

            assertThat(settings.changes()).isEmpty();
            assertThat(policy(context, "Shop.buy").maxAttempts()).isEqualTo(3);
        });
    }

    private static RetryPolicy policy(ApplicationContext context, String name) {
        return context.getBean(NamedRetries.class).methods(name).get(0).policy();
    }

    static class Shop {

        @RetryOn(value = IOException.class, delay = "10ms")
        public void buy() throws IOException {
            throw new IOException("down");
        }
    }

    static class Kiosk {

        private final List<String> attempts = new ArrayList<>();

        private Runnable duringAttempt = () -> {};

        public List<String> attempts() {
            return attempts;
        }

        public void during(Runnable attempt) {
            duringAttempt = attempt;
        }

        @RetryOn(value = IOException.class, delay = "0s")
        public void sell() throws IOException {
            RetryContext call = RetryContext.current();
            attempts.add(call.attempt() + (call.isLastAttempt() ? ", the last" : ""));
            if (call.attempt() == 1) {
                duringAttempt.run();
                throw new IOException("down");
            }
        }
    }

    interface Late {

        void go() throws IOException;
    }

    static class LateBean implements Late {

        @RetryOn(value = IOException.class, delay = "1s", maxDelay = "1m", maxAttempts = 1)
        @Override
        public void go() throws IOException {
            throw new IOException("down");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {

        @Bean
        Shop shop() {
            return new Shop();
        }

        @Bean
        Kiosk kiosk() {
            return new Kiosk();
        }

        /** Known by its interface alone until it is made. */
        @Bean
        @Lazy
        Late late() {
            return new LateBean();
        }
    }
}
