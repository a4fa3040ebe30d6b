// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.ContextCapture;
import dev.retryon.RetryEngine;
import dev.retryon.RetryListener;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

/** What is there, what gives way to the application's own, and what is not there. */
class RetryAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(ours()))
            .withPropertyValues("retryon.defaults.backoff=none")
            .withBean("payments", Payments.class);

    /** Those that are registered with Boot. */
    private static Class<?>[] ours() {
        return ImportCandidates.load(AutoConfiguration.class, null).getCandidates().stream()
                .filter(name -> name.startsWith("dev.retryon."))
                .map(name -> ClassUtils.resolveClassName(name, null))
                .toArray(Class<?>[]::new);
    }

    @Test
    void retriesOnceTheStarterIsThere() {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            assertThatExceptionOfType(IOException.class).isThrownBy(payments::charge);
            assertThat(payments.attempts()).isEqualTo(3);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "FALSE", "off", "no", "0"})
    void leavesNoTraceWhenSwitchedOff(String off) {
        runner.withPropertyValues("retryon.enabled=" + off, "retryon.defaults.delay=5 parsecs")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBeanDefinitionNames())
                            .noneMatch(name -> name.startsWith("retry") || name.startsWith("dev.retryon.spring.auto"))
                            .doesNotContain(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME);
                    Payments payments = context.getBean(Payments.class);
                    assertThat(AopUtils.isAopProxy(payments)).isFalse();
                    assertThatExceptionOfType(IOException.class).isThrownBy(payments::charge);
                    assertThat(payments.attempts()).isEqualTo(1);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "on", "yes", "1"})
    void takesEverySpellingOfYes(String on) {
        runner.withPropertyValues("retryon.enabled=" + on)
                .run(context -> assertThat(context).hasSingleBean(RetryEngine.class));
    }

    @Test
    void leavesBeansWithoutRetriesAlone() {
        runner.withBean("plain", Object.class, Object::new)
                .run(context -> assertThat(AopUtils.isAopProxy(context.getBean("plain")))
                        .isFalse());
    }

    @Test
    void givesWayToAnEngineOfTheApplication() {
        AtomicInteger heard = new AtomicInteger();
        RetryListener listener = event -> heard.incrementAndGet();
        RetryEngine mine = RetryEngine.builder().listener(listener).build();
        runner.withBean("mine", RetryEngine.class, () -> mine).run(context -> {
            assertThat(context.getBean(RetryEngine.class)).isSameAs(mine);
            assertThatExceptionOfType(IOException.class).isThrownBy(context.getBean(Payments.class)::charge);
            assertThat(heard).hasValue(3); // 2 retries + 1 end
        });
    }

    @Test
    void givesWayToAContextCaptureOfTheApplication() {
        ContextCapture mine = () -> () -> () -> {};
        runner.withBean("mine", ContextCapture.class, () -> mine)
                .run(context ->
                        assertThat(context.getBean(ContextCapture.class)).isSameAs(mine));
    }

    @Test
    void worksWithoutAnythingOptional() {
        runner.withClassLoader(new FilteredClassLoader(
                        "io.micrometer",
                        "org.springframework.boot.actuate",
                        "org.springframework.boot.micrometer",
                        "reactor",
                        "org.reactivestreams",
                        "org.springframework.transaction",
                        "org.springframework.web"))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(Arrays.stream(context.getBeanDefinitionNames()))
                            .noneMatch(name -> name.matches("retry(Meters|Observations|Reactive.*|PropagatedContext)"));
                    Payments payments = context.getBean(Payments.class);
                    assertThatExceptionOfType(IOException.class).isThrownBy(payments::charge);
                    assertThat(payments.attempts()).isEqualTo(3);
                });
    }

    /** Public, for its proxy is made by another class loader where classes are hidden. */
    public static class Payments {

        private int attempts;

        @RetryOn(IOException.class)
        public void charge() throws IOException {
            attempts++;
            throw new IOException("down");
        }

        public int attempts() {
            return attempts;
        }
    }
}
