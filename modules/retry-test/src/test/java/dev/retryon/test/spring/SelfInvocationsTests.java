// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class SelfInvocationsTests {

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class));

    private List<SelfInvocation> in(Class<?> beanClass) {
        List<SelfInvocation> found = new ArrayList<>();
        runner.withBean(beanClass)
                .run(context -> found.addAll(SelfInvocations.in(context.getSourceApplicationContext())));
        return found;
    }

    @Test
    void findsACallOnThisAndSaysWhere() {
        List<SelfInvocation> found = in(Direct.class);

        assertThat(found).hasSize(1);
        assertThat(found.get(0).caller()).isEqualTo("SelfInvocationsTests.Direct.placeAll");
        assertThat(found.get(0).retriedMethod()).isEqualTo("SelfInvocationsTests.Direct.place");
        assertThat(found.get(0))
                .asString()
                .matches(
                        "SelfInvocationsTests\\.Direct\\.placeAll calls SelfInvocationsTests\\.Direct\\.place on itself,"
                                + " bypassing the proxy \\(SelfInvocationsTests\\.java:\\d+\\)");
    }

    static class Service {

        @RetryOn(IOException.class)
        public String place(String order) {
            return order;
        }

        public String other(String order) {
            return order;
        }
    }

    static class Direct {

        @RetryOn(IOException.class)
        public String place(String order, long number) {
            return order + number;
        }

        public String placeAll(boolean urgent, long[] numbers) {
            String placed = "";
            for (long number : numbers) {
                placed += urgent ? "" : place(urgent ? "urgent" : "usual", number * 2 + numbers.length);
            }
            return placed;
        }
    }

    @Test
    void findsCallsInLambdasAndMethodReferences() {
        assertThat(in(Lambdas.class))
                .extracting(SelfInvocation::caller)
                .satisfiesExactlyInAnyOrder(
                        caller -> assertThat(caller).contains("lambda$later"),
                        caller -> assertThat(caller).isEqualTo("SelfInvocationsTests.Lambdas.reference"));
    }

    static class Lambdas extends Service {

        public Callable<String> later(String order) {
            return () -> place(order);
        }

        public UnaryOperator<String> reference() {
            return this::place;
        }

        public UnaryOperator<String> referenceToAnotherInstance() {
            return new Service()::place;
        }
    }

    @Test
    void findsCallsInInnerClasses() {
        assertThat(in(Outer.class))
                .extracting(SelfInvocation::caller)
                .satisfiesExactlyInAnyOrder(
                        caller -> assertThat(caller).isEqualTo("SelfInvocationsTests.Outer.Inner.run"),
                        caller -> assertThat(caller).isEqualTo("SelfInvocationsTests.Outer.1.call"));
    }

    static class Outer extends Service {

        public Callable<String> anonymous() {
            return new Callable<>() {
                @Override
                public String call() {
                    return place("tea");
                }
            };
        }

        class Inner {
            String run() {
                return place("tea") + new Service().place("coffee");
            }
        }

        static class Nested {
            String run(Outer outer) {
                return outer.place("tea");
            }
        }
    }

    @Test
    void findsCallsOnSuperButNotThoseOfTheOverriddenMethod() {
        assertThat(in(Overriding.class))
                .extracting(SelfInvocation::caller)
                .containsExactly("SelfInvocationsTests.Overriding.placeTwice");
    }

    static class Overriding extends Service {

        @Override
        public String place(String order) {
            return super.place(order) + super.other(order);
        }

        public String placeTwice(String order) {
            return super.place(order);
        }
    }

    @Test
    void findsCallsInSuperclassesAndInterfaces() {
        assertThat(in(Implementation.class))
                .extracting(SelfInvocation::caller)
                .containsExactlyInAnyOrder(
                        "SelfInvocationsTests.Template.templateMethod", "SelfInvocationsTests.Shop.buyTwo");
    }

    interface Shop {

        String buy(String item);

        default String buyTwo(String item) {
            return buy(item) + buy(item);
        }
    }

    abstract static class Template {

        abstract String step(String order);

        public String templateMethod(String order) {
            return step(order);
        }
    }

    static class Implementation extends Template implements Shop {

        @RetryOn(IOException.class)
        @Override
        public String step(String order) {
            return order;
        }

        @RetryOn(IOException.class)
        @Override
        public String buy(String item) {
            return item;
        }
    }

    @Test
    void leavesOutCallsOnAnotherInstanceAndOfOtherMethods() {
        assertThat(in(Careful.class)).isEmpty();
    }

    static class Careful extends Service {

        private Careful self;

        public String onTheProxy(String order) {
            return self.place(order);
        }

        public String onAnother(Careful another, boolean fresh) {
            Careful chosen = fresh ? new Careful() : another;
            return chosen.place("tea") + other("tea") + String.valueOf(chosen.equals(this));
        }

        public String afterAnError(Careful another) {
            try {
                return other("tea");
            } catch (RuntimeException ex) {
                return another.place(ex.toString());
            }
        }

        public String switched(Careful another, int kind) {
            return switch (kind) {
                case 1 -> other("one");
                case 2 -> another.place("two");
                default -> throw new IllegalArgumentException(String.valueOf(kind));
            };
        }
    }

    @Test
    void findsCallsThroughALocalVariable() {
        assertThat(in(Aliased.class)).hasSize(2);
    }

    static class Aliased extends Service {

        public String alias(String order) {
            Aliased me = this;
            return me.place(order);
        }

        public synchronized String locked(String order) {
            synchronized (this) {
                try {
                    return place(order.isEmpty() ? other(order) : order);
                } finally {
                    other(order);
                }
            }
        }
    }

    @Test
    void findsNothingWithoutRetries() {
        runner.withPropertyValues("retryon.enabled=false")
                .withBean(Direct.class)
                .run(context -> assertThat(SelfInvocations.in(context.getSourceApplicationContext()))
                        .isEmpty());
    }
}
