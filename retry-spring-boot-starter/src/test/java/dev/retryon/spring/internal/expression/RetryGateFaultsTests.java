// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.retryon.RetryContext;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.expression.RetryGatesTests.Gated;
import dev.retryon.spring.internal.policy.Applications;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.sql.Timestamp;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import reactor.core.publisher.Mono;

/** What is found wrong with SpEL gates when the application starts, and what is not. */
class RetryGateFaultsTests {

    private final ApplicationContextRunner runner = Applications.retrying().withBean(Gated.class);

    static Stream<Arguments> isCheckedAtStartUp() {
        return Stream.of(
                arguments("#attempt >", "does not parse", "#attempt >"),
                arguments("(#attempt", "does not parse", "(#attempt"),
                arguments("#attempt > 1 1", "does not parse", "(at character 14)"),
                arguments("#atempt > 1", "#atempt", "attempt"),
                arguments("#result == 1", "#result", "error"),
                arguments("#p2 == 1", "#p2", "p1"),
                arguments("#ordr == 'x'", "#ordr", "order"),
                arguments("@nobody.allows(1)", "'nobody'", "bean"),
                arguments("#order.equals(#ordr)", "#ordr", "order"),
                arguments("#{#attempt == 1}", "without #{…}", "'#attempt == 1'"),
                arguments("isFirstOny()", "'isFirstOny'", "does not have"),
                arguments("#root.nothingSuch()", "'nothingSuch'", "does not have"),
                arguments("true and !#target.nothingSuch(1)", "'nothingSuch'", "does not have"),
                arguments("#order.equals(nothingSuch())", "'nothingSuch'", "does not have"),
                arguments("{nothingSuch()}.empty", "'nothingSuch'", "does not have"),
                arguments("!{1}.?[#nope == #this].empty", "#nope", "use one of"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void isCheckedAtStartUp(String gate, String quoted, String remedy) {
        runner.withPropertyValues("retryon.methods.[" + Gated.class.getName() + "#charge].only-if=" + gate)
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .extracting(RetryFault::toString)
                        .asString()
                        .contains("only", gate, quoted, remedy, "#charge]"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"#attempt >", "true && @nobody.allows(1)"})
    void whatIsWrongForEveryMethodIsNoMethodsFault(String gate) {
        runner.withPropertyValues("retryon.defaults.only-if=" + gate)
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .extracting(RetryFault::toString)
                        .asString()
                        .startsWith("retryon.defaults.only-if: onlyIf is '" + gate + "'")
                        .doesNotContain(Gated.class.getName()));
    }

    @Test
    void isCheckedInAnnotationsToo() {
        Applications.retrying()
                .withBean(Faulty.class)
                .run(context -> assertThat(Applications.faults(context))
                        .extracting(RetryFault::toString)
                        .hasSize(2)
                        .anySatisfy(fault -> assertThat(fault).contains("Faulty.number: ", "#atempt"))
                        .anySatisfy(fault -> assertThat(fault).contains("Faulty.nobody: ", "'nobody'")));
    }

    @Test
    void isOneFaultOfAllMethodsOfAClass() {
        Applications.retrying()
                .withBean(FaultyClass.class)
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .extracting(RetryFault::toString)
                        .asString()
                        .startsWith("@RetryOn on " + FaultyClass.class.getName() + ": onlyIf is '#attempt >'")
                        .endsWith("(for " + FaultyClass.class.getName() + "#one(), " + FaultyClass.class.getName()
                                + "#other(int))"));
    }

    @RetryOn(value = IOException.class, onlyIf = "#attempt >")
    static class FaultyClass {

        public void one() {}

        public void other(int number) {}
    }

    static class Faulty {

        @RetryOn(value = IOException.class, onlyIf = "#atempt > 1")
        public void number() {}

        @RetryOn(value = IOException.class, unless = "@nobody.allows(1)")
        public void nobody() {}
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "firstOnly",
                "getLimit() > 1",
                "limit > 1",
                "counter > 1",
                "varied('a', 'b')",
                "varied()",
                "spread('a')",
                "true",
                "#p1.anything", // nothing is known of a primitive value
                "#args.anything",
                "{'a'}.![length()][0] == 1",
                "{a: 1}.size() == 1",
                "new java.util.ArrayList().size() == 0",
                "new String('a') == 'a'",
                "new int[2].length == 2",
                "#error instanceof T(Exception)",
                "transientFialure > 1", // properties are looked up when the gate is evaluated
                "{1}.?[intValue() > 0].empty",
                "{1}.![intValue()][0] == 1",
                "#order.trim(hashCode()).empty",
                "hashCode() == 1 and #target.getLimit() > 1 and #root?.getLimit() > 1",
                "#order.nothing() == 1",
                "#args[2] == 'x'",
                "T(java.lang.Math).max(1, 2) == 2",
                "T(String).format('a') == 'a'", // varargs, of which there can be none
                "T(String).format('%s%s', 1, 2) == '12'",
                "T(java.lang.Math).getName() == ''", // each class is an object too
                "T(java.lang.Math).forName('java.lang.String') != null",
                "T(java.util.Map).of('a', 1).size() == 1", // of an interface
                "T(String[]).getName() == ''",
                "T(int).getName() == ''",
                "T(java.util.concurrent.TimeUnit).valueOf('DAYS') != null",
                "toString() == ''",
                "class.name != null",
                "firstOnly and not isFirstOnly()",
                "T(int) != null",
                "T(Math).abs(1) == 1",
                "T(java.util.Map$Entry) != null",
                "#args[1] > 0",
                "#args[counter] == null",
                "null",
                "#args.length == 2 or #args[2] != 'no'",
                "#args.length > 2 and #args[2] == 'x'",
                "#args.length > 2 ? #args[2] == 'x' : true",
                "#attempt < 5 and #order",
                "!#order",
                "true and texts()",
                "not maybe() or listed()",
                "#error.message matches '[a-z]+'"
            })
    void whatTheBeanHasIsNoFault(String gate) {
        runner.withPropertyValues("retryon.methods.[" + Gated.class.getName() + "#charge].only-if=" + gate)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void theDeclaredTypeOfABeanProvesNothingAboutItsMethods() {
        Applications.retrying().withUserConfiguration(Declared.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean("extended", Base.class).attempts()).isEqualTo(3);
            assertThat(context.getBean("lazy", Base.class).attempts()).isEqualTo(3);
            assertThat(context.getBean("scoped", Base.class).attempts()).isEqualTo(3);
            assertThat(context.getBean("lambda", OfInterface.class).attempts()).isEqualTo(1);
            assertThatThrownBy(() -> context.getBean("bare"))
                    .rootCause()
                    .hasMessageContaining(
                            "calls the method 'isTransient', which " + Base.class.getName() + " does not have");
        });
    }

    @Test
    void inheritedDefaultAndPrivateMethodsExist() {
        Applications.retrying()
                .withBean(Inheriting.class)
                .run(context ->
                        assertThat(context.getBean(Inheriting.class).attempts()).isEqualTo(3));
    }

    @Configuration(proxyBeanMethods = false)
    static class Declared {

        @Bean
        Base extended() {
            return new Extended();
        }

        @Bean
        @Lazy
        Base lazy() {
            return new Extended();
        }

        @Bean
        @Scope(value = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Base scoped() {
            return new Extended();
        }

        @Bean
        @Lazy
        Base bare() {
            return new Base();
        }

        @Bean
        OfInterface lambda() {
            return () -> 1;
        }
    }

    interface OfInterface {

        @RetryOn(value = IOException.class, onlyIf = "isTransient()")
        int attempts() throws IOException;
    }

    static class Base {

        @RetryOn(value = IOException.class, onlyIf = "isTransient()")
        public int attempts() throws IOException {
            int attempt = RetryContext.current().attempt();
            if (attempt < 3) {
                throw new IOException();
            }
            return attempt;
        }
    }

    static class Extended extends Base {

        boolean isTransient() {
            return true;
        }
    }

    interface WithDefault {

        default boolean byDefault(Throwable... errors) {
            return errors.length == 1;
        }
    }

    abstract static class WithPrivate {

        private boolean hidden(Throwable error) {
            return error instanceof IOException;
        }

        protected static boolean shared(int attempt) {
            return attempt < 3;
        }
    }

    static class Inheriting extends WithPrivate implements WithDefault {

        @RetryOn(
                value = IOException.class,
                onlyIf = "hidden(#error) and byDefault(#error) and shared(#attempt) and hashCode() != 0.5")
        public int attempts() throws IOException {
            int attempt = RetryContext.current().attempt();
            if (attempt < 3) {
                throw new IOException();
            }
            return attempt;
        }
    }

    @Test
    void nothingCanBeLookedAtInAnAnswerWithoutAValue() {
        for (String method : List.of("nothing", "nothingLater", "nothingAtAll", "noneSent")) {
            Applications.retrying()
                    .withBean(Nothing.class)
                    .withPropertyValues(
                            "retryon.methods.[" + Nothing.class.getName() + "#" + method + "].retry-if=true")
                    .run(context -> assertThat(Applications.faults(context))
                            .singleElement()
                            .extracting(RetryFault::toString)
                            .asString()
                            .contains("returns no value to check", "#" + method));
        }
    }

    static class Nothing {

        @RetryOn(IOException.class)
        void nothing() {}

        @RetryOn(IOException.class)
        CompletableFuture<Void> nothingLater() {
            return CompletableFuture.completedFuture(null);
        }

        @RetryOn(IOException.class)
        @Nullable Void nothingAtAll() {
            return null;
        }

        @RetryOn(IOException.class)
        Mono<Void> noneSent() {
            return Mono.empty();
        }
    }

    @Test
    void whatWorksAtRunTimeIsNoFaultAtStartUp() {
        Applications.retrying().withBean(Sound.class).run(context -> {
            assertThat(context).hasNotFailed();
            Sound bean = context.getBean(Sound.class);
            assertThat(Retries.capture(() -> bean.text()).attempts()).isEqualTo(2);
            assertThat(Retries.capture(() -> bean.empty()).attempts()).isEqualTo(3);
            assertThat(Retries.capture(() -> bean.target("x")).attempts()).isEqualTo(3);
            assertThat(Retries.capture(() -> bean.optional(Optional.of("x"))).attempts())
                    .isEqualTo(3);
            assertThat(Retries.capture(() -> bean.ofClass(Integer.class)).attempts())
                    .isEqualTo(3);
            Timestamp time = new Timestamp(0);
            time.setNanos(7);
            assertThat(Retries.capture(() -> bean.cast(time)).attempts()).isEqualTo(3);
            assertThat(Retries.capture(() -> bean.cast(new Date())).attempts()).isEqualTo(1);
            assertThat(Retries.capture(() -> bean.ofException(new FileSystemException("x")))
                            .attempts())
                    .isEqualTo(3);
            assertThat(Retries.capture(() -> bean.swapped("x", 1)).attempts()).isEqualTo(3);
        });
    }

    static class Sound {

        private int texts;

        @RetryOn(retryIf = "!#result")
        String text() {
            return texts++ == 0 ? "false" : "true";
        }

        @RetryOn(retryIf = "#error == null and #result.empty")
        String empty() {
            return "";
        }

        @RetryOn(value = IOException.class, onlyIf = "#target.isSound() and #root.isSound() and #p0 == 'x'")
        String target(String target) throws IOException {
            throw new IOException();
        }

        @RetryOn(value = IOException.class, onlyIf = "#text?.length() == 1")
        String optional(Optional<String> text) throws IOException {
            throw new IOException();
        }

        @RetryOn(value = IOException.class, onlyIf = "#type.MAX_VALUE > 0")
        String ofClass(Class<?> type) throws IOException {
            throw new IOException();
        }

        @RetryOn(value = IOException.class, onlyIf = "#time instanceof T(java.sql.Timestamp) and #time.nanos == 7")
        String cast(Date time) throws IOException {
            throw new IOException();
        }

        @RetryOn(value = IOException.class, onlyIf = "#cause.file == 'x'")
        String ofException(IOException cause) throws IOException {
            throw cause;
        }

        /** The name of a parameter wins over the position of one before it. */
        @RetryOn(value = IOException.class, onlyIf = "#p0.intValue() == 1")
        String swapped(String text, Integer p0) throws IOException {
            throw new IOException();
        }

        public boolean isSound() {
            return true;
        }
    }
}
