// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.retryon.spring.OnError;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.Setting;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.annotation.AliasFor;

/** Several annotations on one element, and annotations of the user's own. */
class RepeatedAnnotationsTests {

    static Stream<Arguments> laterAnnotationsAreStronger() {
        return Stream.of(
                arguments("twice", "twice", 2),
                arguments("composed, then direct", "composedFirst", 2),
                arguments("direct, then composed", "composedLast", 7),
                arguments("composed, then twice", "composedBeforeTwo", 3),
                arguments("twice, then composed", "composedAfterTwo", 7),
                arguments("two composed", "twoComposed", 8),
                arguments("two composed the other way round", "twoComposedReversed", 7),
                arguments("two within one composed", "twiceWithin", 6),
                arguments("composed of composed", "composedOfComposed", 9));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void laterAnnotationsAreStronger(String what, String method, int maxAttempts) {
        Applications.retrying()
                .withBean(Annotated.class)
                .run(context -> assertThat(Applications.settings(context, Annotated.class, method)
                                .get(Setting.MAX_ATTEMPTS))
                        .isEqualTo(maxAttempts));
    }

    @Test
    void theirListsAddUpAndTheirScalarsMix() {
        Applications.retrying().withBean(Annotated.class).run(context -> {
            EffectiveSettings settings = Applications.settings(context, Annotated.class, "twice");
            assertThat(settings.values().get(Setting.EXCEPTIONS).value())
                    .isEqualTo(Set.of(IOException.class, IllegalStateException.class));
            assertThat(settings.get(Setting.DELAY)).isEqualTo(Duration.ofMillis(5));
            assertThat(settings.source(Setting.MAX_ATTEMPTS))
                    .isEqualTo("@RetryOn on " + Annotated.class.getName() + ".twice");
        });
    }

    @Test
    void anAnnotationOfTheUsersOwnPassesItsAttributesOn() {
        Applications.retrying().withBean(Annotated.class).run(context -> {
            EffectiveSettings settings = Applications.settings(context, Annotated.class, "aliased");
            assertThat(settings.get(Setting.MAX_ATTEMPTS)).isEqualTo(12);
            assertThat(settings.values().get(Setting.EXCEPTIONS).value()).isEqualTo(Set.of(ConnectException.class));
            assertThat(settings.get(Setting.DELAY)).isEqualTo(Duration.ofMillis(20));
            assertThat(settings.source(Setting.MAX_ATTEMPTS))
                    .isEqualTo("@RetryTransient on " + Annotated.class.getName() + ".aliased");
        });
    }

    @Test
    void anAnnotationOfTheUsersOwnWorksOnTypes() {
        Applications.retrying()
                .withBean(TypeAnnotated.class)
                .run(context -> assertThat(Applications.settings(context, TypeAnnotated.class, "run")
                                .get(Setting.MAX_ATTEMPTS))
                        .isEqualTo(15));
    }

    @Test
    void theTypesThatAComposedAnnotationPassesOnReplaceItsOwn() {
        Applications.retrying().withBean(Replacing.class).run(context -> {
            assertThat(Applications.settings(context, Replacing.class, "byValue")
                            .get(Setting.EXCEPTIONS))
                    .isEqualTo(Set.of(ConnectException.class));
            assertThat(Applications.settings(context, Replacing.class, "byExceptions")
                            .get(Setting.EXCEPTIONS))
                    .isEqualTo(Set.of(ConnectException.class));
        });
    }

    @Test
    void contradictingAliasesAreAFault() {
        Applications.retrying()
                .withBean(Contradicting.class)
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .satisfies(fault -> {
                            assertThat(fault.where())
                                    .isEqualTo("@RetryOn on " + Contradicting.class.getName() + ".run");
                            assertThat(fault.problem()).contains("value", "exceptions");
                        }));
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD})
    @RetryOn(maxAttempts = 10, delay = "20ms")
    @interface RetryTransient {

        @AliasFor(annotation = RetryOn.class, attribute = "exceptions")
        Class<? extends Throwable>[] on() default {};

        @AliasFor(annotation = RetryOn.class)
        int maxAttempts() default 10;
    }

    @Retention(RetentionPolicy.RUNTIME)
    @RetryOn(value = IOException.class, maxAttempts = 7)
    @interface Seven {}

    @Retention(RetentionPolicy.RUNTIME)
    @RetryOn(value = IOException.class, maxAttempts = 8)
    @interface Eight {}

    @Retention(RetentionPolicy.RUNTIME)
    @RetryOn(value = IOException.class, maxAttempts = 5)
    @RetryOn(value = IOException.class, maxAttempts = 6)
    @interface FiveThenSix {}

    @Retention(RetentionPolicy.RUNTIME)
    @Seven
    @RetryOn(maxAttempts = 9)
    @interface Nine {}

    static class Annotated {

        @RetryOn(value = IOException.class, maxAttempts = 1, delay = "5ms")
        @RetryOn(value = IllegalStateException.class, maxAttempts = 2)
        public void twice() {}

        @Seven
        @RetryOn(maxAttempts = 2)
        public void composedFirst() {}

        @RetryOn(maxAttempts = 2)
        @Seven
        public void composedLast() {}

        @Seven
        @RetryOn(maxAttempts = 2)
        @RetryOn(maxAttempts = 3)
        public void composedBeforeTwo() {}

        @RetryOn(maxAttempts = 2)
        @RetryOn(maxAttempts = 3)
        @Seven
        public void composedAfterTwo() {}

        @Seven
        @Eight
        public void twoComposed() {}

        @Eight
        @Seven
        public void twoComposedReversed() {}

        @FiveThenSix
        public void twiceWithin() {}

        @Nine
        public void composedOfComposed() {}

        @RetryTransient(on = ConnectException.class, maxAttempts = 12)
        public void aliased() {}
    }

    @RetryTransient(on = ConnectException.class, maxAttempts = 15)
    static class TypeAnnotated {

        public void run() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @RetryOn(exceptions = TimeoutException.class, errors = @OnError(value = IOException.class, delay = "1ms"))
    @interface ByValue {

        @AliasFor(annotation = RetryOn.class)
        Class<? extends Throwable>[] value();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @RetryOn(TimeoutException.class)
    @interface ByExceptions {

        @AliasFor(annotation = RetryOn.class, attribute = "exceptions")
        Class<? extends Throwable>[] on();
    }

    static class Replacing {

        @ByValue(ConnectException.class)
        public void byValue() {}

        @ByExceptions(on = ConnectException.class)
        public void byExceptions() {}
    }

    static class Contradicting {

        @RetryOn(value = IOException.class, exceptions = IllegalStateException.class)
        public void run() {}
    }
}
