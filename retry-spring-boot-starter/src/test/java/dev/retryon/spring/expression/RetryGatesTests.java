/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.retryon.RetryEngine;
import dev.retryon.RetryResult;
import dev.retryon.StopReason;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.method.Applications;
import dev.retryon.spring.settings.RetryFault;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.Opcodes;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.ResponseEntity;
import reactor.core.publisher.Mono;

/** SpEL gates: what they can name, when they run, how they fail (semantics, sections 5 and 7; api). */
class RetryGatesTests {

    private final ApplicationContextRunner runner = Applications.retrying().withBean(Gated.class);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#error.message == 'x1'",
                "#error instanceof T(java.io.IOException) && #attempt == 1",
                "#attempt == 1",
                "#attempt < #maxAttempts - 1", // of 3: after attempt 1 only
                "#maxAttempts == 3 && #attempt == 1",
                "#elapsed.toMillis() >= 0 && #attempt == 1",
                "#args[0] == 'x' && #args.length == 2 && #attempt == 1",
                "#p0 == 'x' && #p1 == 7 && #attempt == 1",
                "#order == 'x' && #cents == 7 && #attempt == 1",
                "transientFailure(#error, #attempt)",
                "firstOnly && #attempt == 1",
                "#root.transientFailure(#error, #attempt)",
                "#target.transientFailure(#error, #attempt)",
                "hiddenFailure(#error, #attempt)",
                "#root.hiddenFailure(#error, #attempt)",
                "#target.inheritedFailure(#attempt)",
                "staticFailure(#attempt)",
                "@judge.allows(#attempt)",
                "@'the.judge'.allows(#attempt)",
                "{1}.contains(#attempt)",
                "{1, 5}.?[#this == #attempt].size() == 1",
                "#error.message.length() == 2 ? #attempt == 1 : false",
                "#error?.message?.endsWith('1')"
            })
    void onlyIfNames(String gate) {
        // Each is true after attempt 1 and false after attempt 2.
        withJudges().run(context -> {
            Gated bean = context.getBean(Gated.class);
            RetryResult<String> result = Retries.with(o -> o.onlyIf(gate)).capture(() -> bean.charge("x", 7));
            assertThat(result.error()).hasMessage("x2");
            assertThat(result.attempts()).isEqualTo(2);
            assertThat(result.stopReason()).isEqualTo(StopReason.REJECTED);
            assertThat(result.error().getSuppressed()).as("no fault").hasSize(1);
        });
    }

    private ApplicationContextRunner withJudges() {
        return runner.withBean("judge", Judge.class).withBean("the.judge", Judge.class);
    }

    @Test
    void unlessStopsWhenItIsTrue() {
        runner.run(context -> {
            RetryResult<String> result = Retries.with(o -> o.unless("#attempt == 2"))
                    .capture(() -> context.getBean(Gated.class).charge("x", 7));
            assertThat(result.attempts()).isEqualTo(2);
            assertThat(result.stopReason()).isEqualTo(StopReason.REJECTED);
        });
    }

    @Test
    void bothGatesMustAgree() {
        runner.run(context -> {
            Gated bean = context.getBean(Gated.class);
            assertThat(Retries.with(o -> o.onlyIf("true").unless("#attempt == 1"))
                            .capture(() -> bean.charge("x", 7))
                            .attempts())
                    .isEqualTo(1);
            assertThat(Retries.with(o -> o.onlyIf("true").unless("false"))
                            .capture(() -> bean.charge("x", 7))
                            .attempts())
                    .isEqualTo(3);
        });
    }

    @Test
    void theErrorIsTheOneInsideWrappers() {
        runner.run(context -> assertThat(Retries.with(o -> o.onlyIf("#error instanceof T(java.io.IOException)"))
                        .capture(() -> context.getBean(Gated.class).wrapped())
                        .attempts())
                .isEqualTo(3));
    }

    @Test
    void aParameterCalledErrorGivesWayToTheError() {
        runner.run(context -> assertThat(
                        Retries.with(o -> o.onlyIf("#error instanceof T(java.io.IOException) && #p0 == 'text'"))
                                .capture(() -> context.getBean(Gated.class).shadowing("text"))
                                .attempts())
                .isEqualTo(3));
    }

    @Test
    void privateMethodsOfTheBeanAreCalledHoweverOften() {
        runner.run(context -> {
            Gated bean = context.getBean(Gated.class);
            // SpEL compiles an expression after a hundred evaluations if it can.
            for (int call = 0; call < 300; call++) {
                RetryResult<String> result = Retries.with(o -> o.onlyIf("hiddenFailure(#error, #attempt)"))
                        .capture(() -> bean.charge("x", 7));
                assertThat(result.attempts()).isEqualTo(2);
            }
        });
    }

    @Test
    void isNotEvaluatedWhenTheCallSucceeds() {
        withJudges().run(context -> {
            assertThat(context.getBean(Gated.class).succeeds()).isEqualTo("done");
            assertThat(context.getBean("judge", Judge.class).asked).isZero();
        });
    }

    @Test
    void isNotEvaluatedForErrorsThatAreNotRetriedNorAfterTheLastAttempt() {
        withJudges().run(context -> {
            Gated bean = context.getBean(Gated.class);
            Judge judge = context.getBean("judge", Judge.class);
            assertThatThrownBy(() ->
                            Retries.with(o -> o.unless("@judge.allows(9)")).run(bean::bug))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(judge.asked).isZero();
            assertThat(Retries.with(o -> o.unless("@judge.allows(9)"))
                            .capture(() -> bean.charge("x", 7))
                            .attempts())
                    .isEqualTo(3);
            assertThat(judge.asked).as("after attempts 1 and 2").isEqualTo(2);
        });
    }

    @Test
    void isEvaluatedBeforeTheWait() {
        List<String> story = new ArrayList<>();
        RetryEngine engine =
                RetryEngine.builder().sleeper(delay -> story.add("wait")).build();
        Judge judge = new Judge() {
            @Override
            public boolean allows(int attempt) {
                return story.add("gate " + attempt);
            }
        };
        runner.withBean(RetryEngine.class, () -> engine)
                .withBean("judge", Judge.class, () -> judge)
                .withPropertyValues("retryon.defaults.backoff=fixed")
                .run(context -> {
                    Retries.with(o -> o.onlyIf("@judge.allows(#attempt)"))
                            .capture(() -> context.getBean(Gated.class).charge("x", 7));
                    assertThat(story).containsExactly("gate 1", "wait", "gate 2", "wait");
                });
    }

    static Stream<Arguments> aGateThatFailsNeverHidesTheError() {
        return Stream.of(
                arguments("breaks()", "broken gate"),
                arguments("#error.unknownMethod()", "unknownMethod"),
                arguments("#attempt > 0 ? 'perhaps' : 'never'", "not a boolean"),
                arguments("#error.message", "not a boolean"),
                arguments("#args", "boolean"));
    }

    @ParameterizedTest
    @MethodSource
    void aGateThatFailsNeverHidesTheError(String gate, String fault) {
        runner.run(context -> {
            Gated bean = context.getBean(Gated.class);
            for (int unless = 0; unless < 2; unless++) {
                boolean asUnless = unless == 1;
                RetryResult<String> result = Retries.with(o -> {
                            if (asUnless) {
                                o.unless(gate);
                            } else {
                                o.onlyIf(gate);
                            }
                        })
                        .capture(() -> bean.charge("x", 7));
                assertThat(result.attempts()).isEqualTo(1);
                assertThat(result.stopReason()).isEqualTo(StopReason.REJECTED);
                assertThat(result.error()).isInstanceOf(IOException.class);
                assertThat(Arrays.stream(result.error().getSuppressed()))
                        .anySatisfy(suppressed -> assertThat(suppressed).hasStackTraceContaining(fault));
            }
        });
    }

    @Test
    void nullIsNo() {
        runner.run(context -> {
            Gated bean = context.getBean(Gated.class);
            assertThat(Retries.with(o -> o.onlyIf("#attempt > 0 ? null : true"))
                            .capture(() -> bean.charge("x", 7))
                            .attempts())
                    .isEqualTo(1);
            assertThat(Retries.with(o -> o.unless("#attempt > 0 ? null : true"))
                            .capture(() -> bean.charge("x", 7))
                            .attempts())
                    .isEqualTo(3);
        });
    }

    @Test
    void retryIfIsOverTheResult() {
        runner.run(context -> {
            Gated bean = context.getBean(Gated.class);
            RetryResult<Integer> result = Retries.capture(() -> bean.poll(4));
            assertThat(result.value()).isEqualTo(4);
            assertThat(result.attempts()).isEqualTo(4);
            assertThat(result.stopReason()).isNull();
            RetryResult<Integer> exhausted = Retries.capture(() -> bean.poll(99));
            assertThat(exhausted.value()).as("the last value").isEqualTo(4 + 5);
            assertThat(exhausted.attempts()).isEqualTo(5);
            assertThat(exhausted.stopReason()).isEqualTo(StopReason.EXHAUSTED);
            assertThatThrownBy(() -> bean.poll(-1))
                    .as("its errors are not retried")
                    .isInstanceOf(IllegalStateException.class);
            assertThat(bean.polls()).isEqualTo(4 + 5 + 1);
        });
    }

    @Test
    void aRetryIfThatFailsAcceptsTheValue() {
        runner.run(context -> {
            RetryResult<String> result = Retries.with(o -> o.retryIf("breaks()"))
                    .capture(() -> context.getBean(Gated.class).succeeds());
            assertThat(result.value()).isEqualTo("done");
            assertThat(result.attempts()).isEqualTo(1);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "only-if=#elapsed.seconds < 5",
                "only-if=T(java.lang.Long).compare(#elapsed.seconds, 5) < 0",
                "unless=#elapsed.seconds >= 5"
            })
    void knowsTheTimeThatWentByEvenWithoutATimeout(String gate) {
        long[] now = {0};
        RetryEngine engine = RetryEngine.builder()
                .ticker(() -> now[0])
                .sleeper(delay -> now[0] += delay.toNanos())
                .build();
        runner.withBean(RetryEngine.class, () -> engine)
                .withPropertyValues(
                        "retryon.defaults.backoff=fixed",
                        "retryon.defaults.delay=1s",
                        "retryon.defaults.jitter=none",
                        "retryon.methods.[" + Gated.class.getName() + "#slow]." + gate)
                .run(context -> {
                    // Not through Retries, which reads the clock in any case.
                    assertThatThrownBy(() -> context.getBean(Gated.class).slow(now))
                            .hasMessage("7 s"); // 3 s, a wait of 1 s, 3 s more; the first attempt counts
                });
    }

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
                arguments("#transientFailure(#error)", "#transientFailure", "without '#'"),
                arguments("transientFailure(#error)", "transientFailure", "1 argument"),
                arguments("transientFialure(#error, #attempt)", "transientFialure", "no such method"),
                arguments("#order.hash() == 1", "hash", "no such public method"),
                arguments("transientFialure()", "transientFialure", "0 arguments"),
                arguments("spread()", "spread", "no such method"),
                arguments("transientFailure", "'transientFailure'", "no public one of"),
                arguments("firstLonely.empty", "'firstLonely'", "no public one of"),
                arguments("T(java.lang.Math).foo(1)", "calls foo with 1 argument", "static method in java.lang.Math"),
                arguments("T(Math).max(1) == 1", "calls max with 1 argument", "static method in java.lang.Math"),
                arguments("T(java.lang.Math)?.foo()", "calls foo with 0 arguments", "no such static method"),
                arguments("true and T(String).lenght() == 1", "lenght", "static method in java.lang.String"),
                arguments("T(String).length() == 1", "length", "no such static method"),
                arguments("#target.transientFialure()", "transientFialure", "no such method"),
                arguments("#root.transientFialure()", "transientFialure", "no such method"),
                arguments("#elapsed.secondz > 1", "'secondz'", Duration.class.getName()),
                arguments("attempt > 1", "attempt", "#attempt"),
                arguments("#order.equals(#ordr)", "#ordr", "order"),
                arguments("#order.equals(firstLonely)", "'firstLonely'", "no public one of"),
                arguments("#{#attempt == 1}", "without #{…}", "'#attempt == 1'"),
                arguments("#attempt = 1", "assigns", "=="),
                arguments("#attempt++ == 1", "assigns", "=="),
                arguments("!(--counter == 1)", "assigns", "=="),
                arguments("'yes'", "gives", "not a boolean"),
                arguments("{true}", "gives", "not a boolean"),
                arguments("{a: true}", "gives", "not a boolean"),
                arguments("#attempt + 1", "gives", "not a boolean"),
                arguments("#attempt - 1", "gives", "not a boolean"),
                arguments("#attempt * 1", "gives", "not a boolean"),
                arguments("#attempt / 1", "gives", "not a boolean"),
                arguments("#attempt % 1", "gives", "not a boolean"),
                arguments("#attempt ^ 1", "gives", "not a boolean"),
                arguments("{1}.size() == 1 and #p1", "gives int", "not a boolean"),
                arguments("!recorded()", "gives void", "not a boolean"),
                arguments("recorded()", "gives void", "not a boolean"),
                arguments("#order", "gives java.lang.String", "not a boolean"),
                arguments("#args[2] == 'x'", "#args[2]", "has 2 arguments"),
                arguments("#error instanceof T(java.io.IOExeption)", "java.io.IOExeption", "class path"),
                arguments("!{1}.?[#nope == #this].empty", "#nope", "known are"));
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
    @ValueSource(strings = {"#attempt + 1", "true && @nobody.allows(1)"})
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
                        .hasSize(3)
                        .anySatisfy(fault -> assertThat(fault).contains("for method number", "not a boolean"))
                        .anySatisfy(fault -> assertThat(fault).contains("for method nobody", "'nobody'"))
                        .anySatisfy(fault -> assertThat(fault)
                                .contains("for method result", "'nothing'", "no public one of java.lang.String")));
    }

    static class Faulty {

        @RetryOn(value = IOException.class, onlyIf = "#attempt + 1")
        public void number() {}

        @RetryOn(value = IOException.class, unless = "@nobody.allows(1)")
        public void nobody() {}

        @RetryOn(retryIf = "#result.nothing")
        public String result() {
            return "";
        }
    }

    @Test
    void aGateThatDoesNotAskForTheTimeLeavesTheClockAlone() {
        int[] readings = {0};
        RetryEngine engine = RetryEngine.builder().ticker(() -> ++readings[0]).build();
        runner.withBean(RetryEngine.class, () -> engine).run(context -> {
            Gated bean = context.getBean(Gated.class);
            int before = readings[0];
            bean.succeeds();
            assertThat(readings[0]).isEqualTo(before);
        });
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
                "T(java.lang.Math).max(1, 2) == 2",
                "T(String).format('a') == 'a'", // varargs, of which there may be none
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

    static class Judge {

        int asked;

        public boolean allows(int attempt) {
            asked++;
            return attempt == 1;
        }
    }

    public static class Base {

        boolean inheritedFailure(int attempt) {
            return attempt == 1;
        }
    }

    public static class Gated extends Base {

        public int counter;

        private int polls;

        private int calls;

        @RetryOn(IOException.class)
        public String charge(String order, int cents) throws IOException {
            throw new IOException(order + (++calls));
        }

        @RetryOn(IOException.class)
        public void slow(long[] clock) throws IOException {
            clock[0] += Duration.ofSeconds(3).toNanos();
            throw new IOException(Duration.ofNanos(clock[0]).toSeconds() + " s");
        }

        @RetryOn(IOException.class)
        public String wrapped() {
            throw new CompletionException(new IOException());
        }

        @RetryOn(IOException.class)
        public String shadowing(String error) throws IOException {
            throw new IOException();
        }

        @RetryOn(value = IOException.class, unless = "#root.breaks()")
        public String succeeds() {
            return "done";
        }

        @RetryOn(IOException.class)
        public void bug() {
            throw new IllegalStateException();
        }

        @RetryOn(retryIf = "#result < #wanted", maxAttempts = 5)
        public int poll(int wanted) {
            polls++;
            if (wanted < 0) {
                throw new IllegalStateException();
            }
            return polls;
        }

        int polls() {
            return polls;
        }

        public boolean transientFailure(Throwable error, int attempt) {
            return error instanceof IOException && attempt == 1;
        }

        private boolean hiddenFailure(Throwable error, int attempt) {
            return transientFailure(error, attempt);
        }

        private static boolean staticFailure(int attempt) {
            return attempt == 1;
        }

        public boolean isFirstOnly() {
            return true;
        }

        public int getLimit() {
            return 2;
        }

        String[] texts() {
            return new String[] {"yes"};
        }

        Optional<Boolean> maybe() {
            return Optional.of(true);
        }

        List<Boolean> listed() {
            return List.of(true);
        }

        public boolean varied(String... texts) {
            return texts.length == 2;
        }

        public boolean spread(String text, String... texts) {
            return texts.length == 1;
        }

        void recorded() {}

        public boolean breaks() {
            throw new IllegalStateException("broken gate");
        }
    }

    @Test
    void theResultOfAFutureIsTheValueThatItHolds() {
        Applications.retrying().withBean(Later.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Later.class).text().join()).isEqualTo("found");
        });
    }

    static class Later {

        private int calls;

        @RetryOn(retryIf = "#result.isEmpty()")
        CompletableFuture<String> text() {
            return CompletableFuture.completedFuture(calls++ == 0 ? "" : "found");
        }
    }

    @Test
    void theResultMayBeNamedByWhatAGenericTypeHolds() {
        Applications.retrying().withBean(Holding.class).run(context -> {
            assertThat(context).hasNotFailed();
            Holding bean = context.getBean(Holding.class);
            assertThat(bean.response().status()).isEqualTo(200);
            bean.calls = 0;
            assertThat(bean.entity().getStatusCode().value()).isEqualTo(200);
        });
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
                            .contains("returns nothing to look at", "#" + method));
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

    static class Holding {

        private int calls;

        @RetryOn(retryIf = "#result.status() == 503")
        Response<Void> response() {
            return new Response<>(calls++ == 0 ? 503 : 200);
        }

        @RetryOn(retryIf = "#result.statusCode.value() == 503")
        ResponseEntity<Void> entity() {
            return ResponseEntity.status(calls++ == 0 ? 503 : 200).build();
        }
    }

    record Response<T>(int status) {

        @Override
        public int status() {
            return status;
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

    @Test
    void classesAreThoseOfTheApplicationWhateverTheThreadKnows() throws Exception {
        ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
        ClassLoader ofApplication = new WithOneMore(ofThread);
        runner.withClassLoader(ofApplication)
                .withPropertyValues("retryon.defaults.unless=#error instanceof T(com.acme.apart.Down)")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Thread.currentThread().setContextClassLoader(ofThread);
                    try {
                        Gated bean = context.getBean(Gated.class);
                        assertThat(Retries.capture(() -> bean.charge("x", 7)).attempts())
                                .isEqualTo(3);
                    } finally {
                        Thread.currentThread().setContextClassLoader(ofApplication);
                    }
                });
    }

    /** Has a class that nothing else has. */
    private static final class WithOneMore extends ClassLoader {

        WithOneMore(ClassLoader parent) {
            super(parent);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (!name.equals("com.acme.apart.Down")) {
                throw new ClassNotFoundException(name);
            }
            ClassWriter writer = new ClassWriter(0);
            writer.visit(
                    Opcodes.V17, Opcodes.ACC_PUBLIC, name.replace('.', '/'), null, "java/lang/RuntimeException", null);
            byte[] code = writer.toByteArray();
            return defineClass(name, code, 0, code.length);
        }
    }
}
