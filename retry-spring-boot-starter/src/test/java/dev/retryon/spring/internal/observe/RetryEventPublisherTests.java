// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.retryon.Retry;
import dev.retryon.RetryEngine;
import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryPolicy;
import dev.retryon.RetryScheduled;
import dev.retryon.RetrySucceeded;
import dev.retryon.spring.module.ExtensionErrors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.EventListener;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.core.ResolvableType;

@ExtendWith(OutputCaptureExtension.class)
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
    void isSilentAfterTheEndOfTheContext(CapturedOutput output) {
        runner.withBean(Listening.class).run(context -> {
            Payments payments = context.getBean(Payments.class);
            payments.charge(1);
            context.getSourceApplicationContext(ConfigurableApplicationContext.class)
                    .close();
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> payments.charge(9));
            assertThat(output).doesNotContain("RetryEventPublisher");
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
    void isNotHeardByAListenerWhoseBeanDefinitionWasRemoved() {
        List<RetryEvent> heard = new ArrayList<>();
        runner.withBean("leaving", FailureListener.class, () -> new FailureListener(heard))
                .run(context -> {
                    Payments payments = context.getBean(Payments.class);
                    assertThatExceptionOfType(IOException.class).isThrownBy(() -> payments.charge(9));
                    ((BeanDefinitionRegistry) context.getBeanFactory()).removeBeanDefinition("leaving");
                    assertThatExceptionOfType(IOException.class).isThrownBy(() -> payments.charge(9));
                    assertThat(heard).hasSize(1);
                });
    }

    @Test
    void leavesEventsToAMulticasterOfTheApplication() {
        runner.withBean("applicationEventMulticaster", OwnMulticaster.class).run(context -> {
            context.getBean(Payments.class).charge(1);
            assertThat(context.getBean(OwnMulticaster.class).heard)
                    .hasOnlyElementsOfTypes(RetryScheduled.class, RetrySucceeded.class)
                    .hasSize(2);
        });
    }

    @Test
    void isHeardByAListenerThatTakesThePlaceOfAnother() {
        runner.run(context -> {
            List<RetryEvent> first = new ArrayList<>();
            List<RetryEvent> second = new ArrayList<>();
            FailureListener listener = new FailureListener(first);
            ConfigurableApplicationContext real = context.getSourceApplicationContext();
            Payments payments = context.getBean(Payments.class);
            real.addApplicationListener(listener);
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> payments.charge(9));
            real.removeApplicationListener(listener);
            real.addApplicationListener(new FailureListener(second));
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> payments.charge(9));
            assertThat(first).hasSize(1);
            assertThat(second).hasSize(1);
        });
    }

    @Test
    void isHeardByListenersOfApplicationEvents() {
        runner.run(context -> {
            List<Object> sources = new ArrayList<>();
            ApplicationListener<PayloadApplicationEvent<?>> listener = event -> sources.add(event.getSource());
            ConfigurableApplicationContext real = context.getSourceApplicationContext();
            real.addApplicationListener(listener);
            context.getBean(Payments.class).charge(1);
            assertThat(sources).containsExactly(real, real);
        });
    }

    @Test
    void leavesEventsToAMulticasterThatIsNoBeanDefinition() {
        OwnMulticaster own = new OwnMulticaster();
        runner.withInitializer(context -> {
                    own.setBeanFactory(context.getBeanFactory());
                    context.getBeanFactory().registerSingleton("applicationEventMulticaster", own);
                })
                .run(context -> {
                    context.getBean(Payments.class).charge(1);
                    assertThat(own.heard)
                            .hasOnlyElementsOfTypes(RetryScheduled.class, RetrySucceeded.class)
                            .hasSize(2);
                });
    }

    /** Spring's set of listeners is not thread-safe: reading it can fail in any way. */
    @Test
    void isHeardWhileAnotherThreadRegistersAListener() {
        List<Object> heard = new ArrayList<>();
        boolean[] torn = {false};
        StaticApplicationContext context = new StaticApplicationContext() {
            @Override
            public Collection<ApplicationListener<?>> getApplicationListeners() {
                if (torn[0]) {
                    throw new ArrayIndexOutOfBoundsException("Index 46 out of bounds for length 46");
                }
                return super.getApplicationListeners();
            }
        };
        context.addApplicationListener(ApplicationListener.<RetryFailed>forPayload(heard::add));
        context.refresh();
        RetryPolicy once = RetryPolicy.builder().maxAttempts(1).build();
        try (RetryEngine engine = RetryEngine.builder()
                .listener(new RetryEventPublisher(context, new ExtensionErrors()))
                .build()) {
            Retry retry = Retry.builder("stock", once).engine(engine).build();
            for (boolean next : new boolean[] {false, true}) {
                torn[0] = next;
                assertThatIllegalStateException()
                        .isThrownBy(() -> retry.run(() -> {
                            throw new IllegalStateException();
                        }));
            }
        }
        assertThat(heard).hasSize(2);
    }

    @Test
    void keepsEventsForAContextThatIsNotThatFar() {
        List<RetryEvent> heard = new ArrayList<>();
        runner.withBean(CallingEarly.class)
                .withBean("early", FailureListener.class, () -> new FailureListener(heard))
                .run(context -> assertThat(heard).hasSize(1));
    }

    @Test
    void createsNoListenersOfOtherTypes() {
        List<RetryEvent> heard = new ArrayList<>();
        runner.withBean(
                        "failures",
                        FailureListener.class,
                        () -> new FailureListener(new ArrayList<>()),
                        definition -> definition.setLazyInit(true))
                .run(context -> {
                    ConfigurableApplicationContext real = context.getSourceApplicationContext();
                    real.addApplicationListener(new ScheduledListener(heard));
                    context.getBean(Payments.class).charge(1);
                    assertThat(heard).hasSize(1);
                    assertThat(real.getBeanFactory().containsSingleton("failures"))
                            .isFalse();
                });
    }

    @Test
    void isNotHeardInAParentContext() {
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
            assertThat(heard).isEmpty();
        }
    }

    @Test
    void letsTheCallAndOtherListenersContinueIfAListenerFails(CapturedOutput output) {
        runner.withBean(FailingListening.class).withBean(Listening.class).run(context -> {
            assertThat(context.getBean(Payments.class).charge(1)).isEqualTo("charged");
            assertThat(context.getBean(Listening.class).heard).containsExactly("scheduled", "succeeded");
            assertThat(output).containsOnlyOnce("the application event listener ");
        });
    }

    static class FailureListener implements ApplicationListener<PayloadApplicationEvent<RetryFailed>> {

        private final List<RetryEvent> heard;

        FailureListener(List<RetryEvent> heard) {
            this.heard = heard;
        }

        @Override
        public void onApplicationEvent(PayloadApplicationEvent<RetryFailed> event) {
            heard.add(event.getPayload());
        }
    }

    static class ScheduledListener implements ApplicationListener<PayloadApplicationEvent<RetryScheduled>> {

        private final List<RetryEvent> heard;

        ScheduledListener(List<RetryEvent> heard) {
            this.heard = heard;
        }

        @Override
        public void onApplicationEvent(PayloadApplicationEvent<RetryScheduled> event) {
            heard.add(event.getPayload());
        }
    }

    static class OwnMulticaster extends SimpleApplicationEventMulticaster {

        private final List<Object> heard = new ArrayList<>();

        @Override
        public void multicastEvent(ApplicationEvent event, ResolvableType type) {
            if (event instanceof PayloadApplicationEvent<?> payload && payload.getPayload() instanceof RetryEvent) {
                heard.add(payload.getPayload());
            }
            super.multicastEvent(event, type);
        }
    }

    /** Makes a call that fails while the context starts. */
    static class CallingEarly {

        CallingEarly(Payments payments) {
            assertThatExceptionOfType(IOException.class).isThrownBy(() -> payments.charge(9));
        }
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
