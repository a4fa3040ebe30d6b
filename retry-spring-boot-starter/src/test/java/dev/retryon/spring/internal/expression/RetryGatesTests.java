// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.retryon.RetryEngine;
import dev.retryon.RetryResult;
import dev.retryon.RetryTime;
import dev.retryon.StopReason;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.Opcodes;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.ResponseEntity;

/** SpEL gates: what they can name, when they run, how they fail. */
class RetryGatesTests {

    private final ApplicationContextRunner runner = Applications.retrying().withBean(Gated.class);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#error.message == 'x1'",
                "#error instanceof T(java.io.IOException) && #attempt == 1",
                "#error instanceof TEMPORARY && #attempt == 1",
                "#error instanceof #root.TEMPORARY && #attempt == 1",
                "#error instanceof T(dev.retryon.spring.internal.expression.RetryGatesTests.Gated).TEMPORARY && #attempt == 1",
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
    void nothingIsTakenForNo() {
        String nothing = "#error.cause?.message?.endsWith('1')";
        runner.run(context -> {
            Gated bean = context.getBean(Gated.class);
            RetryResult<String> refused = Retries.with(o -> o.onlyIf(nothing)).capture(() -> bean.charge("x", 7));
            assertThat(refused.attempts()).isEqualTo(1);
            assertThat(refused.stopReason()).isEqualTo(StopReason.REJECTED);
            assertThat(refused.error().getSuppressed()).as("no fault").hasSize(1);
            assertThat(Retries.with(o -> o.unless(nothing))
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
        RetryEngine engine = RetryEngine.builder()
                .time(new RetryTime() {
                    @Override
                    public void sleep(Duration delay) {
                        story.add("wait");
                    }
                })
                .build();
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
                arguments("#attempt > 0 ? #error.message : true", "not a boolean"),
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
                .time(new RetryTime() {
                    @Override
                    public long nanoTime() {
                        return now[0];
                    }

                    @Override
                    public void sleep(Duration delay) {
                        now[0] += delay.toNanos();
                    }
                })
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

    @Test
    void aGateThatDoesNotAskForTheTimeLeavesTheClockAlone() {
        int[] readings = {0};
        RetryEngine engine = RetryEngine.builder()
                .time(new RetryTime() {
                    @Override
                    public long nanoTime() {
                        return ++readings[0];
                    }
                })
                .build();
        runner.withBean(RetryEngine.class, () -> engine).run(context -> {
            Gated bean = context.getBean(Gated.class);
            int before = readings[0];
            bean.succeeds();
            assertThat(readings[0]).isEqualTo(before);
        });
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

        public static final Class<?> TEMPORARY = IOException.class;

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
