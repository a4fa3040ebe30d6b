// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.DeadLetterQueue;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.FailedCall;
import dev.retryon.RetryDirective;
import dev.retryon.RetrySignal;
import dev.retryon.StopReason;
import dev.retryon.durable.ArgumentMapperBuilderCustomizer;
import dev.retryon.durable.Durable;
import dev.retryon.durable.Redacted;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.durable.internal.call.DurableTrial;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.store.TestDatabase;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryEngineCustomizer;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.internal.policy.Applications;
import dev.retryon.spring.module.ExtensionErrors;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.std.FromStringDeserializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.ToStringSerializerBase;

/** When a caller gets the error of a call that has failed permanently, the call is stored, or the log says why not. */
class KeptCallsTests {

    private final CallStore store = TestDatabase.calls();

    private final ApplicationContextRunner without = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RetryDurableCoreAutoConfiguration.class,
                    RetryAutoConfiguration.class,
                    RetryDurableAutoConfiguration.class))
            .withPropertyValues("retryon.defaults.backoff=none");

    private final ApplicationContextRunner runner = without.withBean(CallStore.class, () -> store);

    private ApplicationContextRunner withoutJdbc() {
        return without.withClassLoader(new FilteredClassLoader("org.springframework.jdbc"));
    }

    @Test
    void aCallIsKeptWithAllThatIsNeededToMakeItAgain() {
        runner.withBean("mails", Mails.class).run(context -> {
            MDC.put("traceId", "the-trace");
            try {
                send(context, new Mail("a@acme.com", 3), "secret");
            } finally {
                MDC.remove("traceId");
            }

            DeadLetter letter = only();
            assertThat(letter.name()).isEqualTo("Mails.send");
            assertThat(letter.method())
                    .isEqualTo(Mails.class.getName() + "#send(" + Mail.class.getTypeName() + ",java.lang.String)");
            assertThat(letter.bean()).isEqualTo("mails");
            assertThat(letter.arguments())
                    .isEqualTo("{\"mail\":{\"to\":\"a@acme.com\",\"copies\":3},\"secret\":\"secret\"}");
            assertThat(letter.errorType()).isEqualTo("java.io.IOException");
            assertThat(letter.errorCode()).isEqualTo("java.io.IOException");
            assertThat(letter.errorMessage()).isEqualTo("down 3");
            assertThat(letter.stackTrace()).contains("KeptCallsTests$Mails.send");
            assertThat(letter.failures())
                    .extracting(StoredCall.Failure::errorMessage)
                    .containsExactly("down 1", "down 2", "down 3");
            assertThat(letter.attempts()).isEqualTo(3);
            assertThat(letter.reason()).isEqualTo(StopReason.EXHAUSTED);
            assertThat(letter.state()).isEqualTo(State.DEAD);
            assertThat(letter.traceId()).isEqualTo("the-trace");
        });
    }

    @Test
    void whatIsShownHidesRedactedArguments() {
        DurableTrial.inMemory().withBean(Mails.class).run(context -> {
            send(context, new Mail("a@acme.com", 3), "secret");

            StoredCalls letters = context.getBean(StoredCalls.class);
            String id =
                    letters.list(StoredCalls.Filter.ALL, null, 1).calls().get(0).id();
            assertThat(letters.find(id).orElseThrow().arguments())
                    .isEqualTo("{\"mail\":{\"to\":\"a@acme.com\",\"copies\":3},\"secret\":\"[redacted]\"}");
            assertThat(letters.count(StoredCalls.Filter.of(State.DEAD))).isEqualTo(1);
            assertThat(letters.groups(StoredCalls.Filter.ALL, 5))
                    .singleElement()
                    .satisfies(group -> assertThat(group.count()).isEqualTo(1));
        });
    }

    @Test
    void anArgumentWithARedactedComponentIsHiddenAlsoIfTheBeanSaysItsType() {
        DurableTrial.inMemory().withBean(Cards.class).run(context -> {
            assertThatThrownBy(() -> context.getBean(Cards.class).take(new Card("4111")))
                    .isInstanceOf(IOException.class);

            StoredCalls letters = context.getBean(StoredCalls.class);
            String id =
                    letters.list(StoredCalls.Filter.ALL, null, 1).calls().get(0).id();
            assertThat(letters.find(id).orElseThrow().arguments()).isEqualTo("{\"it\":\"[redacted]\"}");
        });
    }

    static class Takes<T> {

        @RetryOn(IOException.class)
        @Durable(ON_EXHAUSTION)
        public void take(T it) throws IOException {
            throw new IOException("down");
        }
    }

    static class Cards extends Takes<Card> {}

    record Card(@Redacted String number) {}

    @Test
    void anErrorCanAskForItWhateverTheMethodSays() {
        runner.withBean(Mails.class).run(context -> {
            assertThatThrownBy(() -> context.getBean(Mails.class).poison("x")).isInstanceOf(RetrySignal.class);

            assertThat(only().reason()).isEqualTo(StopReason.DEAD_LETTER);
            assertThat(only().arguments()).isEqualTo("{\"text\":\"x\"}");
        });
    }

    @Test
    void callsOfANamedPolicyAreKeptToBeLookedAt() {
        runner.withPropertyValues(
                        "retryon.policies.imports.durable.mode=on-exhaustion",
                        "retryon.policies.imports.exceptions=java.io.IOException")
                .run(context -> {
                    assertThatThrownBy(() -> context.getBean(RetryRegistry.class)
                                    .retry("imports")
                                    .call(() -> {
                                        throw new IOException("down");
                                    }))
                            .isInstanceOf(IOException.class);

                    assertThat(only().method()).isEqualTo("imports");
                    assertThat(only().arguments()).isNull();
                });
    }

    @Test
    void argumentsThatCanNotBeStoredAreSuppressedInTheError() {
        runner.withBean(Mails.class).run(context -> {
            assertThatThrownBy(() -> send(context, new Mail("x".repeat(70_000), 1), ""))
                    .isInstanceOf(AssertionError.class)
                    .cause()
                    .satisfies(error -> assertThat(error.getSuppressed())
                            .hasAtLeastOneElementOfType(IllegalArgumentException.class));

            assertThat(store.count(StoredCalls.Filter.ALL)).isZero();
            assertThat(lost(context)).isEqualTo(1);
        });
    }

    @Test
    void theLimitOfArgumentsCanBeSet() {
        runner.withBean(Mails.class)
                .withPropertyValues("retryon.dead-letter.max-arguments-size=100KB")
                .run(context -> {
                    send(context, new Mail("x".repeat(70_000), 1), "");
                    assertThat(store.count(StoredCalls.Filter.ALL)).isEqualTo(1);
                });
    }

    @Test
    void aParameterThatCanNotBeStoredEndsTheStart() {
        runner.withBean(Uploads.class)
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .asString()
                        .contains(
                                "@Durable on " + Uploads.class.getName() + ".upload: durable.mode is 'on-exhaustion'",
                                "parameter content of method upload is of type java.io.InputStream"));
    }

    @Test
    void withoutAStoreTheStartEndsAndSaysWhatToDo() {
        withoutJdbc()
                .withBean(Mails.class)
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .asString()
                        .contains(
                                "@Durable on " + Mails.class.getName() + ".send: durable.mode is 'on-exhaustion'",
                                "configure a DataSource"));
    }

    @Test
    void oneCallCanNotBeKeptWithoutAStoreEither() {
        withoutJdbc()
                .withBean(Plain.class)
                .run(context -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> Retries.with(call -> call.set("durable.when-failed", "keep-all"))
                                .run(() -> context.getBean(Plain.class).fail()))
                        .withMessageContaining("the application has no store for dead letters"));
    }

    @Test
    void withoutJacksonTheStartEndsAndNamesTheDependency() {
        ApplicationContextRunner lean = runner.withClassLoader(new FilteredClassLoader("tools.jackson"));
        lean.withBean(Mails.class)
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .asString()
                        .contains(
                                "@Durable on " + Mails.class.getName() + ".send: durable.mode is 'on-exhaustion', but a"
                                        + " dependency is missing; add tools.jackson.core:jackson-databind"));
        lean.withBean(Plain.class).run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void theMapperOfArgumentsIsCustomizedInOrder() {
        runner.withBean(Mails.class)
                .withBean("first", ArgumentMapperBuilderCustomizer.class, () -> new Prefixes(1, "a"))
                .withBean("second", ArgumentMapperBuilderCustomizer.class, () -> new Prefixes(2, "b"))
                .run(context -> {
                    send(context, new Mail("x", 1), "y");
                    assertThat(only().arguments())
                            .isEqualTo("{\"mail\":{\"to\":\"bx\",\"copies\":1},\"secret\":\"by\"}");
                });
    }

    /** Stores each text with a prefix. */
    private record Prefixes(int order, String prefix) implements ArgumentMapperBuilderCustomizer, Ordered {

        @Override
        public int getOrder() {
            return order;
        }

        @Override
        public void customize(JsonMapper.Builder builder) {
            builder.addModule(new SimpleModule("prefix " + prefix)
                    .addSerializer(String.class, new ToStringSerializerBase(String.class) {

                        @Override
                        public String valueToString(Object value) {
                            return prefix + value;
                        }
                    })
                    .addDeserializer(String.class, new FromStringDeserializer<>(String.class) {

                        @Override
                        protected String _deserialize(String value, DeserializationContext context) {
                            return value.substring(prefix.length());
                        }
                    }));
        }
    }

    @Test
    void aQueueOfTheApplicationIsTakenInstead() {
        List<FailedCall> kept = new ArrayList<>();
        DeadLetterQueue queue = kept::add;
        runner.withBean(Uploads.class)
                .withBean(RetryEngineCustomizer.class, () -> engine -> engine.deadLetters(queue))
                .run(context -> {
                    assertThatThrownBy(() -> context.getBean(Uploads.class).upload(InputStream.nullInputStream()))
                            .isInstanceOf(IOException.class);
                    assertThat(kept).hasSize(1);
                    assertThat(store.count(StoredCalls.Filter.ALL)).isZero();
                });
    }

    @Test
    void nothingIsMadeBeforeItIsNeeded() {
        AtomicInteger stores = new AtomicInteger();
        without.withBean(Plain.class)
                .withBean(
                        CallStore.class,
                        () -> {
                            stores.incrementAndGet();
                            return store;
                        },
                        definition -> definition.setLazyInit(true))
                .run(context -> {
                    assertThatThrownBy(() -> context.getBean(Plain.class).fail())
                            .isInstanceOf(IOException.class);
                    assertThat(stores).hasValue(0);
                    assertThat(context.getSourceApplicationContext().getBeanFactory())
                            .satisfies(beans -> assertThat(beans.containsSingleton("retryOnDeadLetterOffice"))
                                    .isFalse());
                });
    }

    @Test
    void aStoreThatFailsIsSuppressedInTheErrorAndCounted() {
        Error broken = new NoClassDefFoundError("driver");
        CallStore failing = Letters.replacing("put", store, arguments -> {
            throw broken;
        });
        without.withBean(CallStore.class, () -> failing).withBean(Mails.class).run(context -> {
            assertThatThrownBy(() -> context.getBean(Mails.class).send(new Mail("a", 1), ""))
                    .isInstanceOf(IOException.class)
                    .satisfies(error -> assertThat(error.getSuppressed()).contains(broken));
            assertThat(lost(context)).isEqualTo(1);
        });
    }

    @Test
    void aStoreThatHangsHoldsNoCallerForEver() {
        CountDownLatch never = new CountDownLatch(1);
        CallStore hanging = Letters.replacing("put", store, arguments -> {
            never.await();
            return null;
        });
        without.withBean(CallStore.class, () -> hanging)
                .withBean(Mails.class)
                .withPropertyValues("retryon.dead-letter.timeout=200ms")
                .run(context -> {
                    assertThatThrownBy(() -> context.getBean(Mails.class).send(new Mail("a", 1), ""))
                            .isInstanceOf(IOException.class)
                            .satisfies(error -> assertThat(error.getSuppressed())
                                    .hasAtLeastOneElementOfType(TimeoutException.class));
                    assertThat(lost(context)).isEqualTo(1);
                });
    }

    @Test
    void aLimitThatIsNeverReachedIsNone() {
        runner.withBean(Mails.class)
                .withPropertyValues("retryon.dead-letter.timeout=" + Duration.ofSeconds(Long.MAX_VALUE))
                .run(context -> {
                    assertThatThrownBy(() -> context.getBean(Mails.class).send(new Mail("a", 1), ""))
                            .isInstanceOf(IOException.class);

                    assertThat(store.count(StoredCalls.Filter.ALL)).isEqualTo(1);
                    assertThat(lost(context)).isZero();
                });
    }

    @Test
    void callsThatFailAllAtOnceAreAllKept() throws Exception {
        failAllAtOnce(2_000);
    }

    @Test
    @Tag("endurance")
    void manyCallsThatFailAllAtOnceAreAllKept() throws Exception {
        failAllAtOnce(20_000);
    }

    private void failAllAtOnce(int calls) throws Exception {
        runner.withBean(Mails.class).run(context -> {
            Mails mails = context.getBean(Mails.class);
            AtomicInteger errors = new AtomicInteger();
            ExecutorService callers = Executors.newFixedThreadPool(200);
            for (int i = 0; i < calls; i++) {
                Mail mail = new Mail("to " + i, i);
                callers.execute(() -> {
                    try {
                        mails.send(mail, "");
                    } catch (IOException ex) {
                        errors.incrementAndGet();
                    }
                });
            }
            callers.shutdown();
            assertThat(callers.awaitTermination(2, TimeUnit.MINUTES)).isTrue();

            assertThat(errors).hasValue(calls);
            assertThat(store.count(StoredCalls.Filter.ALL)).isEqualTo(calls);
            assertThat(lost(context)).isZero();
        });
    }

    @Test
    void aPropertyOutOfBoundsIsAFault() {
        runner.withPropertyValues("retryon.dead-letter.timeout=0s", "retryon.dead-letter.max-arguments-size=1B")
                .run(context -> assertThat(Applications.faults(context))
                        .extracting(RetryFault::toString)
                        .containsExactlyInAnyOrder(
                                "retryon.dead-letter.timeout: is '0s', but must be longer than zero",
                                "retryon.dead-letter.max-arguments-size: is '1B', but must be at least 2B, the size of"
                                        + " an empty argument list"));
    }

    @Test
    void beansOfOneClassAreToldApart() {
        runner.withBean("one", Mails.class).withBean("other", Mails.class).run(context -> {
            assertThatThrownBy(() -> context.getBean("other", Mails.class).send(new Mail("a", 1), ""))
                    .isInstanceOf(IOException.class);
            assertThat(only().bean()).isEqualTo("other");
        });
    }

    private static void send(ApplicationContext context, Mail mail, String secret) {
        try {
            context.getBean(Mails.class).send(mail, secret);
            throw new AssertionError("no error");
        } catch (IOException ex) {
            for (Throwable suppressed : ex.getSuppressed()) {
                if (suppressed instanceof IllegalArgumentException) {
                    throw new AssertionError(ex);
                }
            }
        }
    }

    private static long lost(ApplicationContext context) {
        return context.getBean(ExtensionErrors.class).count(ExtensionErrorListener.Kind.DEAD_LETTER, "Mails.send");
    }

    private DeadLetter only() {
        List<StoredCalls.Summary> letters =
                store.list(StoredCalls.Filter.ALL, null, 2).calls();
        assertThat(letters).hasSize(1);
        return store.died(letters.get(0).id()).orElseThrow();
    }

    record Mail(String to, int copies) {}

    public static class Mails {

        private final ThreadLocal<Integer> times = ThreadLocal.withInitial(() -> 0);

        @RetryOn(IOException.class)
        @Durable(ON_EXHAUSTION)
        public void send(Mail mail, @Redacted String secret) throws IOException {
            times.set(times.get() % 3 + 1);
            throw new IOException("down " + times.get());
        }

        @RetryOn(IOException.class)
        public void poison(String text) {
            throw new RetrySignal(RetryDirective.DEAD_LETTER, "poisonous", null);
        }
    }

    static class Uploads {

        @RetryOn(IOException.class)
        @Durable(ON_EXHAUSTION)
        public void upload(InputStream content) throws IOException {
            throw new IOException("down");
        }
    }

    public static class Plain {

        @RetryOn(IOException.class)
        public void fail() throws IOException {
            throw new IOException("down");
        }
    }
}
