/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryContext;
import dev.retryon.RetryDecider;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;

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
}
