/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryScheduled;
import dev.retryon.RetrySucceeded;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.StaticApplicationContext;

class RetryEventPublisherTests {

    private final ApplicationContextRunner runner = Telemetry.application();

    @Test
    void isHeardByListenersOfEachType() {
        runner.withBean(Listening.class).run(context -> {
            Payments payments = context.getBean(Payments.class);
            payments.charge(1);
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> payments.charge(9));
            assertThat(context.getBean(Listening.class).heard)
                    .containsExactly("scheduled", "succeeded", "scheduled", "scheduled", "failed");
        });
    }

    @Test
    void isHeardByListenersThatAreMadeLate() {
        runner.withBean(
                        "lateListening",
                        LateListening.class,
                        LateListening::new,
                        definition -> definition.setLazyInit(true))
                .run(context -> {
                    assertThat(context.getBeanFactory().containsSingleton("lateListening"))
                            .isFalse();
                    context.getBean(Payments.class).charge(1);
                    assertThat(context.getBean(LateListening.class).heard).isEqualTo(2);
                });
    }

    @Test
    void isHeardByListenersThatComeAndGo() {
        runner.run(context -> {
            List<RetryEvent> heard = new ArrayList<>();
            ApplicationListener<PayloadApplicationEvent<RetryEvent>> listener =
                    ApplicationListener.forPayload(heard::add);
            Payments payments = context.getBean(Payments.class);
            ConfigurableApplicationContext real = context.getSourceApplicationContext();
            payments.charge(1);
            real.addApplicationListener(listener);
            payments.charge(1);
            real.removeApplicationListener(listener);
            payments.charge(1);
            assertThat(heard).hasSize(2);
        });
    }

    @Test
    void wantsOnlyWhatSomebodyListensTo() {
        runner.run(context -> {
            RetryEventPublisher publisher = context.getBean(RetryEventPublisher.class);
            ConfigurableApplicationContext real = context.getSourceApplicationContext();
            for (int i = 0; i < 3; i++) {
                ApplicationListener<PayloadApplicationEvent<RetryFailed>> listener = new FailureListener();
                assertWanted(publisher, RetryFailed.class, false);
                real.addApplicationListener(listener);
                assertWanted(publisher, RetryFailed.class, true);
                assertWanted(publisher, RetryScheduled.class, false);
                assertWanted(publisher, RetrySucceeded.class, false);
                real.removeApplicationListener(listener);
            }
            ApplicationEventMulticaster multicaster = context.getBean(ApplicationEventMulticaster.class);
            multicaster.addApplicationListener(new FailureListener());
            assertWanted(publisher, RetryFailed.class, true);
        });
    }

    /** What is known from the last time must hold as well as what is found out. */
    private static void assertWanted(RetryEventPublisher publisher, Class<? extends RetryEvent> type, boolean wanted) {
        for (int i = 0; i < 4; i++) {
            assertThat(publisher.wants(type)).isEqualTo(wanted);
        }
    }

    @Test
    void wantsEverythingBeforeTheContextCanTell() {
        try (StaticApplicationContext early = new StaticApplicationContext()) {
            assertThat(new RetryEventPublisher(early).wants(RetryFailed.class)).isTrue();
        }
    }

    @Test
    void isHeardInAParentContext() {
        try (StaticApplicationContext parent = new StaticApplicationContext()) {
            List<Object> heard = new ArrayList<>();
            parent.addApplicationListener(event -> {
                if (event instanceof PayloadApplicationEvent<?> payload) {
                    heard.add(payload.getPayload());
                }
            });
            parent.refresh();
            runner.withParent(parent)
                    .run(context -> context.getBean(Payments.class).charge(1));
            assertThat(heard).hasSize(2).hasOnlyElementsOfType(RetryEvent.class);
        }
    }

    @Test
    void letsTheCallGoOnIfAListenerFails() {
        runner.withBean(FailingListening.class)
                .run(context ->
                        assertThat(context.getBean(Payments.class).charge(1)).isEqualTo("charged"));
    }

    static class FailureListener implements ApplicationListener<PayloadApplicationEvent<RetryFailed>> {

        @Override
        public void onApplicationEvent(PayloadApplicationEvent<RetryFailed> event) {}
    }

    static class Listening {

        private final List<String> heard = new ArrayList<>();

        @EventListener
        void on(RetryScheduled event) {
            heard.add("scheduled");
        }

        @EventListener
        void on(RetrySucceeded event) {
            heard.add("succeeded");
        }

        @EventListener
        void on(RetryFailed event) {
            heard.add("failed");
        }
    }

    static class LateListening {

        private int heard;

        @EventListener
        void on(RetryEvent event) {
            heard++;
        }
    }

    static class FailingListening {

        @EventListener
        void on(RetryEvent event) {
            throw new IllegalStateException("broken");
        }
    }
}
