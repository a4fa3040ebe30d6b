// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryContext;
import dev.retryon.RetryDecider;
import dev.retryon.RetryEngineBuilder;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.spring.RetryEngineCustomizer;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import dev.retryon.spring.module.Setting;
import jakarta.validation.constraints.NotNull;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.ConfigurationPropertiesBinding;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.cloud.autoconfigure.ConfigurationPropertiesRebinderAutoConfiguration;
import org.springframework.cloud.autoconfigure.RefreshAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.convert.converter.Converter;

/** Beans that know each other, and beans that are wanted early. */
@ExtendWith(OutputCaptureExtension.class)
class EarlyBeansTests {

    private final ApplicationContextRunner runner = Applications.retrying();

    interface Worker {

        int run() throws IOException;
    }

    static class Work implements Worker {

        private int calls;

        @Override
        @RetryOn(IOException.class)
        public int run() throws IOException {
            if (++calls < 3) {
                throw new IOException();
            }
            return calls;
        }
    }

    @Test
    void beansThatKnowEachOtherAreRetriedByBothSides() {
        runner.withUserConfiguration(Circle.class)
                .withAllowCircularReferences(true)
                .run(context -> {
                    Left left = context.getBean(Left.class);
                    assertThat(AopUtils.isAopProxy(left.right())).isTrue();
                    assertThat(left.right()).isSameAs(context.getBean(Right.class));
                    assertThat(left.right().left()).as("the early reference").isSameAs(left);
                    assertThat(left.right().run()).isEqualTo(3);
                    assertThat(left.run()).isEqualTo(3);
                });
    }

    @Test
    void nothingIsMadeBeforeItCanBeProxied(CapturedOutput output) {
        runner.withUserConfiguration(Participants.class).run(context -> {
            assertThat(output)
                    .doesNotContain("not eligible for getting processed")
                    .doesNotContain("has retried methods but no proxy");
            assertThat(AopUtils.isAopProxy(context.getBean(Work.class))).isTrue();
            assertThat(context.getBean(Failing.class).fail()).isEqualTo("recovered");
            Participant participant = context.getBean(Participant.class);
            assertThat(participant.heard)
                    .as("two retries and the end, and those of the nested calls")
                    .isNotEmpty();
            assertThat(participant.asked).isGreaterThanOrEqualTo(2);
        });
    }

    @Test
    void aConverterOfPropertiesIsCreatedLikeAnyOtherBean(CapturedOutput output) {
        runner.withConfiguration(AutoConfigurations.of(ValidationAutoConfiguration.class))
                .withUserConfiguration(Converters.class)
                .withPropertyValues("retryon.defaults.delay=soon")
                .run(context -> {
                    assertThat(output).doesNotContain("not eligible for getting processed");
                    assertThat(AopUtils.isAopProxy(context.getBean(Work.class))).isTrue();
                    assertThat(context.getBean(Work.class).run()).isEqualTo(3);
                    assertThat(Applications.settings(context, Work.class, "run").require(Setting.DELAY))
                            .as("the delay, which the converter has read with the retried bean")
                            .isEqualTo(Duration.ofMillis(3));
                    assertThat(((Advised) context.getBean(Validated.class)).getAdvisors())
                            .as("validation in front of the retries")
                            .satisfies(advisors ->
                                    assertThat(advisors[advisors.length - 1]).isInstanceOf(RetryAdvisor.class));
                });
    }

    @Test
    void aCustomizerThatNeedsAdvisedBeansIsCreatedLikeAnyOtherBean(CapturedOutput output) {
        runner.withUserConfiguration(Customizing.class).run(context -> {
            assertThat(output)
                    .doesNotContain("not eligible for getting processed")
                    .doesNotContain("has retried methods but no proxy");
            Work work = context.getBean(Work.class);
            assertThat(context.getBean(Customizer.class).work).isSameAs(work);
            assertThat(AopUtils.isAopProxy(work)).isTrue();
            assertThat(work.run()).isEqualTo(3);
            assertThat(context.getBean(Validated.class).run("a")).isEqualTo("a");
        });
    }

    @Test
    void springCloudIsCreatedLikeAnyOtherBean(CapturedOutput output) {
        runner.withConfiguration(AutoConfigurations.of(
                        ConfigurationPropertiesRebinderAutoConfiguration.class, RefreshAutoConfiguration.class))
                .withUserConfiguration(Participants.class, DefaultMappings.class)
                .run(context -> {
                    assertThat(output).doesNotContain("not eligible for getting processed");
                    assertThat(AopUtils.isAopProxy(context.getBean(Work.class))).isTrue();
                });
    }

    @Test
    void aPointcutSelectsABeanThatAPostProcessorNeeds(CapturedOutput output) {
        runner.withUserConfiguration(Dependent.class, Converters.class)
                .withPropertyValues(
                        "retryon.defaults.delay=soon",
                        "retryon.defaults.exceptions=java.io.IOException",
                        "retryon.pointcuts.plain.expression=execution(* "
                                + Plain.class.getName().replace('$', '.') + ".run())",
                        "retryon.policies.plain.max-attempts=2")
                .run(context -> {
                    assertThat(output.getOut().lines().filter(line -> line.contains("not eligible for")))
                            .as("the bean itself, and nothing that RetryOn needs")
                            .hasSize(1)
                            .allMatch(line -> line.contains("'plain'"));
                    assertThat(AopUtils.isAopProxy(context.getBean(Plain.class)))
                            .isTrue();
                    assertThat(context.getBean(Plain.class).run()).isEqualTo(2);
                });
    }

    @Test
    void aBeanThatCannotBeProxiedIsAWarning(CapturedOutput output) {
        runner.withUserConfiguration(TooEarly.class)
                .run(context -> assertThat(output)
                        .contains("Bean 'early' of " + Work.class.getName() + " has retried methods but no proxy"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Circle {

        @Bean
        Left left() {
            return new Left();
        }

        @Bean
        Right right() {
            return new Right();
        }
    }

    static class Left extends Work {

        @Autowired
        private Right right;

        Right right() {
            return right;
        }
    }

    static class Right extends Work {

        @Autowired
        private Left left;

        Left left() {
            return left;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Participants {

        @Bean
        Participant participant(Work work) {
            return new Participant(work);
        }

        @Bean
        Work work() {
            return new Work();
        }

        @Bean
        Failing failing() {
            return new Failing();
        }
    }

    /** Depends itself on a bean that is retried. */
    static class Participant implements RetryListener, RetryDecider {

        final List<RetryEvent> heard = new ArrayList<>();

        int asked;

        private final Work work;

        Participant(Work work) {
            this.work = work;
        }

        @Override
        public void onEvent(RetryEvent event) {
            heard.add(event);
        }

        @Override
        public boolean shouldRetry(RetryContext context, @Nullable Throwable error) {
            asked++;
            return work != null;
        }
    }

    static class Failing {

        @RetryOn(value = IOException.class, recover = "instead")
        public String fail() throws IOException {
            throw new IOException();
        }

        String instead(IOException error) {
            return "recovered";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TooEarly {

        @Bean
        Work early() {
            return new Work();
        }

        @Bean
        static Dragging first(Work early) {
            return new Dragging();
        }
    }

    static class Dragging implements BeanPostProcessor, PriorityOrdered {

        @Override
        public int getOrder() {
            return 0;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Converters {

        @Bean
        Work work() {
            return new Work();
        }

        @Bean
        Validated validated() {
            return new Validated();
        }

        @Bean
        @ConfigurationPropertiesBinding
        static SpokenDurations spokenDurations(Work work, Validated validated) {
            return new SpokenDurations(work);
        }
    }

    /** Needs a retried bean. */
    static class SpokenDurations implements Converter<String, Duration> {

        private final Work work;

        SpokenDurations(Work work) {
            this.work = work;
        }

        @Override
        public Duration convert(String text) {
            return text.equals("soon") && work != null ? Duration.ofMillis(3) : DurationStyle.detectAndParse(text);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(ValidationAutoConfiguration.class)
    static class Customizing {

        @Bean
        Customizer customizer(Work work, Validated validated) {
            return new Customizer(work);
        }

        @Bean
        Work work() {
            return new Work();
        }

        @Bean
        Validated validated() {
            return new Validated();
        }
    }

    static class Customizer implements RetryEngineCustomizer {

        final Work work;

        Customizer(Work work) {
            this.work = work;
        }

        @Override
        public void customize(RetryEngineBuilder engine) {
            engine.listener(event -> {});
        }
    }

    /** As Spring Cloud Commons has them for the client of its load balancer. */
    @Configuration(proxyBeanMethods = false)
    static class DefaultMappings {

        @Bean
        ConfigurationPropertiesBindHandlerAdvisor mappings(List<Mapping> mappings) {
            return parent -> parent;
        }

        @Bean
        Mapping mapping(Work work) {
            return new Mapping(work);
        }
    }

    record Mapping(Work work) {}

    /** Has retries and validation, whose order depends on the settings. */
    @org.springframework.validation.annotation.Validated
    static class Validated {

        @RetryOn(IOException.class)
        public String run(@NotNull String text) throws IOException {
            return text;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Dependent {

        @Bean
        static Plain plain() {
            return new Plain();
        }

        @Bean
        static BeanPostProcessor dragging(Plain plain) {
            return new BeanPostProcessor() {};
        }
    }

    static class Plain {

        private int calls;

        public int run() throws IOException {
            if (++calls < 2) {
                throw new IOException();
            }
            return calls;
        }
    }
}
