// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What interfaces, superclasses, classes and methods say, and who is the stronger. */
class InheritedLayersTests {

    static Stream<Arguments> whoIsStrongest() {
        return Stream.of(
                arguments("the first-declared interface beats the second", TenThenEleven.class, 10, Ten.class),
                arguments("whatever their names", ElevenThenTen.class, 11, Eleven.class),
                arguments("an interface beats the one it extends", OfTwelve.class, 12, Twelve.class),
                arguments("even by the side of another that extends it too", Diamond.class, 12, Twelve.class),
                arguments("an interface beats those of the superclass", OwnEleven.class, 11, Eleven.class),
                arguments("an interface of the superclass counts", Inheriting.class, 10, Ten.class),
                arguments("a superclass beats an interface", RootAndTen.class, 20, Root.class),
                arguments("a near superclass beats a far one", Leaf.class, 21, Middle.class),
                arguments("a far superclass counts", SilentLeaf.class, 20, Root.class),
                arguments("the class beats its superclasses and interfaces", Itself.class, 30, Itself.class));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void whoIsStrongest(String rule, Class<?> beanClass, int maxAttempts, Class<?> source) {
        Applications.retrying().withBean(beanClass).run(context -> {
            EffectiveSettings settings = Applications.settings(context, beanClass, "run");
            assertThat(settings.get(Setting.MAX_ATTEMPTS)).isEqualTo(maxAttempts);
            assertThat(settings.source(Setting.MAX_ATTEMPTS)).isEqualTo("@RetryOn on " + source.getName());
        });
    }

    static Stream<Arguments> methodsBeatTypes() {
        return Stream.of(
                arguments("an interface's method beats the class", ClassAgainstInterfaceMethod.class, 40),
                arguments("a superclass's method beats the interface's", InheritingMethod.class, 41),
                arguments("an override keeps what it overrides", SilentOverride.class, 41),
                arguments("also two steps up", SilentOverrideOfOverride.class, 41),
                arguments("the method itself beats what it overrides", LoudOverride.class, 42),
                arguments("of two interfaces' methods the first-declared one wins", TwoInterfaceMethods.class, 40),
                arguments("a default method counts", WithDefaultMethod.class, 43),
                arguments("a narrower return type is the same method", NarrowReturn.class, 44),
                arguments("a public class opens up its hidden superclass's method", OpenedUp.class, 45));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void methodsBeatTypes(String rule, Class<?> beanClass, int maxAttempts) {
        Applications.retrying()
                .withBean(beanClass)
                .run(context -> assertThat(
                                Applications.settings(context, beanClass, "run").get(Setting.MAX_ATTEMPTS))
                        .isEqualTo(maxAttempts));
    }

    static Stream<Arguments> seesThroughGenerics() {
        return Stream.of(
                arguments("a generic interface", StringHandler.class, 50),
                arguments("a generic superclass", StringBase.class, 51),
                arguments("a generic interface bound by a superclass", BoundAbove.class, 50));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void seesThroughGenerics(String rule, Class<?> beanClass, int maxAttempts) {
        Applications.retrying().withBean(beanClass).run(context -> {
            MethodRetry method = Applications.method(context, beanClass, "handle");
            assertThat(method.settings().get(Setting.MAX_ATTEMPTS)).isEqualTo(maxAttempts);
            assertThat(method.signature()).endsWith("#handle(String)");
        });
    }

    @Test
    void takesEachScalarFromTheStrongestLayerThatSaysIt() {
        Applications.retrying()
                .withPropertyValues(
                        "retryon.defaults.delay=7ms", "retryon.defaults.jitter=none", "retryon.defaults.multiplier=4")
                .withBean(Scattered.class)
                .run(context -> {
                    EffectiveSettings settings = Applications.settings(context, Scattered.class, "run");
                    assertThat(settings.get(Setting.MULTIPLIER)).isEqualTo(4.0);
                    assertThat(settings.source(Setting.MULTIPLIER)).isEqualTo("retryon.defaults");
                    assertThat(settings.get(Setting.MAX_ATTEMPTS)).isEqualTo(10);
                    assertThat(settings.source(Setting.MAX_ATTEMPTS)).isEqualTo("@RetryOn on " + Ten.class.getName());
                    assertThat(settings.get(Setting.DELAY)).isEqualTo(Duration.ofMillis(8));
                    assertThat(settings.source(Setting.DELAY)).isEqualTo("@RetryOn on " + Scattered.class.getName());
                    assertThat(settings.get(Setting.TIMEOUT)).isEqualTo(Duration.ofSeconds(9));
                    assertThat(settings.source(Setting.TIMEOUT))
                            .isEqualTo("@RetryOn on " + Scattered.class.getName() + ".run");
                    assertThat(settings.source(Setting.MAX_DELAY)).isEqualTo("default");
                });
    }

    @Test
    void addsListsUpAndTellsAllTheirSources() {
        Applications.retrying()
                .withPropertyValues(
                        "retryon.defaults.exceptions=java.util.concurrent.TimeoutException",
                        "retryon.defaults.non-retryable-errors=auth.*")
                .withBean(Collecting.class)
                .run(context -> {
                    EffectiveSettings settings = Applications.settings(context, Collecting.class, "run");
                    String of = "@RetryOn on ";
                    assertThat(settings.get(Setting.EXCEPTIONS))
                            .isEqualTo(Set.of(
                                    TimeoutException.class,
                                    ConnectException.class,
                                    IllegalStateException.class,
                                    UncheckedIOException.class,
                                    IOException.class));
                    assertThat(settings.sources(Setting.EXCEPTIONS))
                            .extracting(SettingSource::describe)
                            .containsExactly(
                                    "retryon.defaults",
                                    of + CollectingApi.class.getName(),
                                    of + CollectingBase.class.getName(),
                                    of + CollectingApi.class.getName() + ".run",
                                    of + Collecting.class.getName() + ".run");
                    assertThat(settings.get(Setting.EXCLUDES))
                            .isEqualTo(Set.of(SocketTimeoutException.class, IllegalArgumentException.class));
                    assertThat(settings.get(Setting.NON_RETRYABLE_ERRORS))
                            .isEqualTo(Set.of("auth.*", "validation.*", "payload.invalid"));
                });
    }

    interface Runs {

        default void run() {}
    }

    @RetryOn(maxAttempts = 10)
    interface Ten extends Runs {}

    @RetryOn(maxAttempts = 11)
    interface Eleven extends Runs {}

    @RetryOn(maxAttempts = 12)
    interface Twelve extends Ten {}

    interface Silent extends Ten {}

    static class TenThenEleven implements Ten, Eleven {}

    static class ElevenThenTen implements Eleven, Ten {}

    static class OfTwelve implements Twelve {}

    static class Diamond implements Silent, Twelve {}

    static class Inheriting extends TenThenEleven {}

    static class OwnEleven extends OfTwelve implements Eleven {}

    @RetryOn(maxAttempts = 20)
    static class Root {

        public void run() {}
    }

    static class RootAndTen extends Root implements Ten {}

    @RetryOn(maxAttempts = 21)
    static class Middle extends Root {}

    static class Leaf extends Middle {}

    static class SilentLeaf extends RootAndTen {}

    @RetryOn(maxAttempts = 30)
    static class Itself extends Middle implements Ten {}

    interface RunsForty {

        @RetryOn(maxAttempts = 40)
        void run();
    }

    interface RunsFifty {

        @RetryOn(maxAttempts = 50)
        void run();
    }

    @RetryOn(maxAttempts = 30)
    static class ClassAgainstInterfaceMethod implements RunsForty {

        @Override
        public void run() {}
    }

    static class FortyOne {

        @RetryOn(maxAttempts = 41)
        public void run() {}
    }

    static class InheritingMethod extends FortyOne implements RunsForty {}

    static class SilentOverride extends FortyOne implements RunsForty {

        @Override
        public void run() {}
    }

    @RetryOn(maxAttempts = 30)
    static class SilentOverrideOfOverride extends SilentOverride {

        @Override
        public void run() {}
    }

    static class LoudOverride extends FortyOne implements RunsForty {

        @Override
        @RetryOn(maxAttempts = 42)
        public void run() {}
    }

    static class TwoInterfaceMethods implements RunsForty, RunsFifty {

        @Override
        public void run() {}
    }

    interface DefaultMethod {

        @RetryOn(maxAttempts = 43)
        default void run() {}
    }

    static class WithDefaultMethod implements DefaultMethod {}

    static class WideReturn {

        @RetryOn(maxAttempts = 44)
        public Object run() {
            return "";
        }
    }

    static class NarrowReturn extends WideReturn {

        @Override
        public String run() {
            return "";
        }
    }

    private static class Hidden {

        @RetryOn(maxAttempts = 45)
        public void run() {}
    }

    public static class OpenedUp extends Hidden {}

    interface Handler<T> {

        @RetryOn(maxAttempts = 50)
        void handle(T message);
    }

    static class StringHandler implements Handler<String> {

        @Override
        public void handle(String message) {}
    }

    static class Base<T> {

        @RetryOn(maxAttempts = 51)
        public void handle(T message) {}
    }

    static class StringBase extends Base<String> {

        @Override
        public void handle(String message) {}
    }

    abstract static class HandlerBase<T extends CharSequence> implements Handler<T> {}

    static class BoundAbove extends HandlerBase<String> {

        @Override
        public void handle(String message) {}
    }

    @RetryOn(delay = "8ms")
    static class Scattered implements Ten {

        @Override
        @RetryOn(timeout = "9s")
        public void run() {}
    }

    @RetryOn(exceptions = ConnectException.class, excludes = SocketTimeoutException.class)
    interface CollectingApi {

        @RetryOn(UncheckedIOException.class)
        void run();
    }

    @RetryOn(exceptions = IllegalStateException.class, nonRetryableErrors = "validation.*")
    static class CollectingBase {}

    static class Collecting extends CollectingBase implements CollectingApi {

        @Override
        @RetryOn(
                value = {IOException.class, ConnectException.class},
                excludes = IllegalArgumentException.class,
                nonRetryableErrors = "payload.invalid")
        public void run() {}
    }
}
