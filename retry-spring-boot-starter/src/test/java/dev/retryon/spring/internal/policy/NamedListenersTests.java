// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryListener;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.internal.report.ExtensionErrors;
import dev.retryon.spring.internal.settings.EffectiveSettings;
import dev.retryon.spring.internal.settings.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

/** Listeners for some methods and not for others. */
class NamedListenersTests {

    private final ApplicationContextRunner runner = Applications.retrying().withUserConfiguration(Listeners.class);

    @Test
    void hearsOfTheMethodsThatNameIt() {
        runner.withBean(Payments.class).run(context -> {
            assertFails(context.getBean(Payments.class)::charge);
            assertFails(context.getBean(Payments.class)::refund);
            assertThat(heard(context, "alerts")).containsExactly("Payments.charge");
        });
    }

    @Test
    void oneThatNobodyNamesHearsOfEveryCall() {
        runner.withBean(Payments.class).run(context -> {
            assertFails(context.getBean(Payments.class)::charge);
            assertFails(context.getBean(Payments.class)::refund);
            assertThat(heard(context, "everything")).containsExactly("Payments.charge", "Payments.refund");
        });
    }

    @Test
    void layersAddUpAndEachIsTheSourceOfItsNames() {
        runner.withBean(Orders.class)
                .withPropertyValues("retryon.methods[" + Orders.class.getName() + "].listeners=audit")
                .run(context -> {
                    assertFails(context.getBean(Orders.class)::place);
                    assertThat(heard(context, "alerts")).containsExactly("Orders.place");
                    assertThat(heard(context, "pager")).containsExactly("Orders.place");
                    assertThat(heard(context, "audit")).containsExactly("Orders.place");
                    EffectiveSettings settings = Applications.settings(context, Orders.class, "place");
                    assertThat(settings.get(Setting.LISTENERS)).containsExactly("alerts", "pager", "audit");
                    assertThat(settings.source(Setting.LISTENERS))
                            .isEqualTo("@RetryOn on " + Orders.class.getName() + ", @RetryOn on "
                                    + Orders.class.getName() + ".place, retryon.methods[" + Orders.class.getName()
                                    + "]");
                });
    }

    @Test
    void namesMayBeSeparatedByCommasAndComeFromProperties() {
        runner.withBean(ByPlaceholder.class)
                .withPropertyValues("pagers=alerts, pager")
                .run(context -> {
                    assertFails(context.getBean(ByPlaceholder.class)::call);
                    assertThat(heard(context, "alerts")).hasSize(1);
                    assertThat(heard(context, "pager")).hasSize(1);
                });
    }

    @Test
    void aNamedPolicyBringsItsListenersAlong() {
        runner.withPropertyValues(
                        "retryon.policies.careful.listeners=alerts,pager",
                        "retryon.policies.careful.exceptions=java.io.IOException")
                .run(context -> {
                    assertFails(() -> context.getBean(RetryRegistry.class)
                            .retry("careful")
                            .run(() -> {
                                throw new IOException("down");
                            }));
                    assertThat(heard(context, "alerts")).containsExactly("careful");
                    assertThat(heard(context, "pager")).containsExactly("careful");
                });
    }

    @Test
    void aCallMayNameOne() {
        runner.withBean(Payments.class).run(context -> {
            assertFails(
                    () -> Retries.with(call -> call.listeners("pager")).run(context.getBean(Payments.class)::charge));
            assertThat(heard(context, "pager")).containsExactly("Payments.charge");
            assertThat(heard(context, "alerts")).containsExactly("Payments.charge");
        });
    }

    @Test
    void oneThatThrowsIsReportedAndTheOthersHear() {
        runner.withBean(Watched.class).run(context -> {
            assertFails(context.getBean(Watched.class)::call);
            assertThat(heard(context, "alerts")).containsExactly("Watched.call");
            assertThat(context.getBean(ExtensionErrors.class).count(ExtensionErrors.Kind.LISTENER, "Watched.call"))
                    .isEqualTo(1);
        });
    }

    @Test
    void oneThatCantBeMadeIsReportedAndTheOthersHear() {
        runner.withBean(WithUnmakeable.class).run(context -> {
            assertFails(context.getBean(WithUnmakeable.class)::call);
            assertThat(heard(context, "alerts")).containsExactly("WithUnmakeable.call");
            assertThat(context.getBean(ExtensionErrors.class).count(ExtensionErrors.Kind.LISTENER, "unmakeable"))
                    .isPositive();
        });
    }

    @Test
    void anUnknownNameEndsTheStart() {
        runner.withBean(Misspelt.class)
                .run(context -> assertThat(Applications.faults(context))
                        .extracting(RetryFault::toString)
                        .containsExactly("@RetryOn on " + Misspelt.class.getName()
                                + ".call: listeners is '[alrts]', but there is no RetryListener bean 'alrts'; use"
                                + " one of [alerts, audit, broken, everything, pager, unmakeable]"));
    }

    @Test
    void aBeanOfAnotherTypeEndsTheStart() {
        runner.withBean(OfAnotherType.class)
                .run(context -> assertThat(Applications.faults(context))
                        .extracting(RetryFault::problem)
                        .containsExactly("listeners is '[text]', but bean 'text' is not a RetryListener, it is a"
                                + " java.lang.String"));
    }

    @Test
    void aBeanThatIsNoSingletonEndsTheStart() {
        runner.withBean(OfAPrototype.class)
                .run(context -> assertThat(Applications.faults(context))
                        .extracting(RetryFault::problem)
                        .containsExactly(
                                "listeners is '[each]', but the RetryListener bean 'each' is not a singleton"));
    }

    @Test
    void aPolicyThatNoMethodUsesMayNameAListenerOfAnotherApplication() {
        runner.withPropertyValues("retryon.policies.idle.listeners=pagr")
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static void assertFails(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatExceptionOfType(IOException.class).isThrownBy(call);
    }

    private static List<String> heard(ApplicationContext context, String listener) {
        return context.getBean(listener, Heard.class).names;
    }

    /** Keeps the names of the calls that failed. */
    static class Heard implements RetryListener {

        private final List<String> names = new ArrayList<>();

        @Override
        public void onEvent(RetryEvent event) {
            if (event instanceof RetryFailed) {
                names.add(event.name());
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Listeners {

        @Bean
        Heard everything() {
            return new Heard();
        }

        @Bean
        Heard alerts() {
            return new Heard();
        }

        @Bean
        Heard audit() {
            return new Heard();
        }

        @Bean(defaultCandidate = false)
        Heard pager() {
            return new Heard();
        }

        @Bean
        RetryListener broken() {
            return event -> {
                throw new IllegalStateException("broken");
            };
        }

        @Bean(defaultCandidate = false)
        @Lazy
        RetryListener unmakeable() {
            throw new IllegalStateException("unmakeable");
        }

        @Bean
        @Scope("prototype")
        RetryListener each() {
            return event -> {};
        }

        @Bean
        String text() {
            return "text";
        }
    }

    static class Payments {

        @RetryOn(value = IOException.class, listeners = "alerts")
        public void charge() throws IOException {
            throw new IOException("down");
        }

        @RetryOn(IOException.class)
        public void refund() throws IOException {
            throw new IOException("down");
        }
    }

    @RetryOn(value = IOException.class, listeners = "alerts")
    static class Orders {

        @RetryOn(listeners = "pager")
        public void place() throws IOException {
            throw new IOException("down");
        }
    }

    static class ByPlaceholder {

        @RetryOn(value = IOException.class, listeners = "${pagers}")
        public void call() throws IOException {
            throw new IOException("down");
        }
    }

    static class Watched {

        @RetryOn(value = IOException.class, maxAttempts = 1, listeners = "broken, alerts")
        public void call() throws IOException {
            throw new IOException("down");
        }
    }

    static class WithUnmakeable {

        @RetryOn(value = IOException.class, listeners = "unmakeable, alerts")
        public void call() throws IOException {
            throw new IOException("down");
        }
    }

    static class Misspelt {

        @RetryOn(value = IOException.class, listeners = "alrts")
        public void call() {}
    }

    static class OfAnotherType {

        @RetryOn(value = IOException.class, listeners = "text")
        public void call() {}
    }

    static class OfAPrototype {

        @RetryOn(value = IOException.class, listeners = "each")
        public void call() {}
    }
}
