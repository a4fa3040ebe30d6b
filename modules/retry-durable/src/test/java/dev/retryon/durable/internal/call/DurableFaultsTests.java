// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import reactor.core.publisher.Flux;

/** What ends the start of an application with durable methods, and what it says. */
class DurableFaultsTests {

    @TempDir
    private Path folder;

    private static final String AT = "@Durable on " + DurableFaultsTests.class.getName() + "$";

    private void assertFault(ApplicationContextRunner application, Class<?> bean, String... sentences) {
        application.withBean(bean).run(context -> {
            assertThat(context).getFailure().isInstanceOf(RetryConfigurationException.class);
            for (String sentence : sentences) {
                assertThat(context).getFailure().hasMessageContaining(sentence);
            }
        });
    }

    @Test
    void aMethodThatReturnsAValueCannotBeDurable() {
        assertFault(
                DurableTrial.embedded(folder),
                Values.class,
                AT
                        + "Values.number: durable.mode is 'on-failure', but method number returns int, which no caller can"
                        + " receive, because the call continues later and perhaps in another process; return void,"
                        + " CompletableFuture<Void> or Mono<Void>, or use @Durable(ON_EXHAUSTION)",
                AT
                        + "Values.later: durable.mode is 'outbox', but method later returns"
                        + " java.util.concurrent.CompletableFuture<java.lang.String>, which no caller can receive",
                AT
                        + "Values.raw: durable.mode is 'on-failure', but method raw returns java.util.concurrent.CompletionStage",
                AT
                        + "Values.any: durable.mode is 'on-failure', but method any returns"
                        + " java.util.concurrent.CompletableFuture<?>",
                AT
                        + "Values.many: durable.mode is 'on-failure', but method many returns"
                        + " reactor.core.publisher.Flux<java.lang.Void>");
    }

    @Test
    void aFinalMethodIsNamedByTheAnnotationThatItHas() {
        assertFault(
                DurableTrial.embedded(folder),
                Final.class,
                AT + "Final.send: the method is final, so no proxy can retry it",
                "@Urgent on " + Final.class.getName() + ".sendNow: the method is final");
    }

    static class Final {

        @Durable(OUTBOX)
        public final void send() {}

        @Urgent
        public final void sendNow() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Durable(value = OUTBOX, lane = "urgent")
    @interface Urgent {}

    @Test
    void aTypeVariableThatIsVoidIsNoValue() {
        DurableTrial.embedded(folder)
                .withBean(VoidSender.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    static class Sender<T> {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public CompletableFuture<T> send() {
            return CompletableFuture.completedFuture(null);
        }
    }

    static class VoidSender extends Sender<Void> {}

    @Test
    void anAsyncMethodCannotJoinTheTransactionOfItsCaller() {
        assertFault(
                DurableTrial.embedded(folder),
                InBackground.class,
                AT
                        + "InBackground.send: durable.mode is 'outbox', but method send is @Async, so it would be stored on"
                        + " another thread, outside the caller's transaction; remove @Async");
    }

    @Test
    void anAsyncMethodThatAspectJHandsToAThreadCannotBeDurable() {
        assertFault(
                DurableTrial.embedded(folder)
                        .withBean(
                                TaskManagementConfigUtils.ASYNC_EXECUTION_ASPECT_BEAN_NAME, Object.class, Object::new),
                InBackgroundAfterAFailure.class,
                AT
                        + "InBackgroundAfterAFailure.send: durable.mode is 'on-failure', but method send is @Async by AspectJ");
    }

    @Test
    void aParameterThatCannotBeStoredIsAFault() {
        assertFault(
                DurableTrial.embedded(folder),
                Streams.class,
                AT + "Streams.send: durable.mode is 'on-failure', but parameter ",
                "java.io.InputStream, which cannot be stored: ");
    }

    @Test
    void aLaneThatIsNotConfiguredIsAFault() {
        ApplicationContextRunner application = DurableTrial.embedded(folder)
                .withPropertyValues("retryon.durable.lanes.mail.threads=1", "retryon.durable.lanes.sms.priority=2");
        assertFault(
                application,
                WrongLane.class,
                AT
                        + "WrongLane.send: durable.lane is 'mial', but this lane does not exist; set"
                        + " retryon.durable.lanes.mial.threads, or use one of default, mail, sms");
        assertFault(
                application.withPropertyValues("retryon.defaults.durable.lane=Mail"),
                Mails.class,
                "retryon.defaults.durable.lane",
                "durable.lane is 'Mail', but this lane does not exist");
    }

    @Test
    void aUniqueKeyThatCannotBeReadIsAFault() {
        assertFault(
                DurableTrial.embedded(folder),
                WrongKey.class,
                AT + "WrongKey.send: durable.uniqueKey is '#order.id', but ",
                "#order");
        assertFault(
                DurableTrial.embedded(folder).withPropertyValues("retryon.defaults.durable.unique-key=#id +"),
                Mails.class,
                "retryon.defaults.durable.unique-key",
                "durable.uniqueKey is '#id +', but does not parse");
    }

    @Test
    void anOrderKeyThatCannotKeepTheOrderIsAFault() {
        assertFault(
                DurableTrial.embedded(folder),
                OrderOfRetries.class,
                AT + "OrderOfRetries.send: durable.orderKey is '#id', but durable.mode is 'on-failure', whose first"
                        + " attempts run on callers' threads, in any order; use OUTBOX");
        assertFault(
                DurableTrial.embedded(folder).withPropertyValues("retryon.defaults.durable.mode=on-exhaustion"),
                OrderOfDeadLetters.class,
                AT + "OrderOfDeadLetters.send: durable.orderKey is '#id', but durable.mode is 'on-exhaustion'");
        assertFault(
                DurableTrial.inMemory(),
                OrderOfSome.class,
                AT
                        + "OrderOfSome.send: durable.orderKey is '#id', but the method also has a durable.uniqueKey, and a call"
                        + " that is not stored has no place in the order; use only one of the two");
        assertFault(DurableTrial.inMemory(), UnknownOrder.class, AT + "UnknownOrder.send: durable.orderKey is '#key'");
    }

    @Test
    void aLaneAndAKeyOfAMethodThatIsNotDurableHaveNoEffect() {
        DurableTrial.embedded(folder)
                .withPropertyValues(
                        "retryon.defaults.durable.lane=unknown", "retryon.defaults.durable.unique-key=#unknown")
                .withBean(NotDurable.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    static class WrongLane {

        @RetryOn(IOException.class)
        @Durable(value = ON_FAILURE, lane = "mial")
        public void send() {}
    }

    static class WrongKey {

        @RetryOn(IOException.class)
        @Durable(value = ON_FAILURE, uniqueKey = "#order.id")
        public void send(String id) {}
    }

    static class OrderOfRetries {

        @RetryOn(IOException.class)
        @Durable(value = ON_FAILURE, orderKey = "#id")
        public void send(String id) {}
    }

    static class OrderOfDeadLetters {

        @RetryOn(IOException.class)
        @Durable(orderKey = "#id")
        public void send(String id) {}
    }

    static class OrderOfSome {

        @RetryOn(IOException.class)
        @Durable(value = OUTBOX, orderKey = "#id", uniqueKey = "#id")
        public void send(String id) {}
    }

    static class UnknownOrder {

        @RetryOn(IOException.class)
        @Durable(value = OUTBOX, orderKey = "#key")
        public void send(String id) {}
    }

    static class NotDurable {

        @RetryOn(exceptions = IOException.class)
        public void send() {}
    }

    @Test
    void whatIsMissingOnTheClassPathIsNamed() {
        assertFault(
                DurableTrial.embedded(folder)
                        .withClassLoader(new FilteredClassLoader("com.github.kagkarlsson", "tools.jackson")),
                Mails.class,
                AT
                        + "Mails.send: durable.mode is 'on-failure', but a dependency is missing; add"
                        + " [com.github.kagkarlsson:db-scheduler, tools.jackson.core:jackson-databind]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"16.0.0", "16.11.1", "15.9.9"})
    void anOldSchedulerIsAFault(String version) {
        assertFault(
                DurableTrial.embedded(folder).withClassLoader(withScheduler(version)),
                Mails.class,
                AT + "Mails.send: durable.mode is 'on-failure', but db-scheduler on the class path is " + version
                        + "; use com.github.kagkarlsson:db-scheduler 16.12.0 or newer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"16.12.0", "16.12.1-SNAPSHOT", "17.0", "main"})
    void aSchedulerThatIsNotKnownToBeOldIsNone(String version) {
        DurableTrial.embedded(folder)
                .withClassLoader(withScheduler(version))
                .withUserConfiguration(Mails.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static ClassLoader withScheduler(String version) {
        return new ClassLoader(DurableFaultsTests.class.getClassLoader()) {
            @Override
            public InputStream getResourceAsStream(String name) {
                return name.equals("META-INF/maven/com.github.kagkarlsson/db-scheduler/pom.properties")
                        ? new ByteArrayInputStream(("version=" + version).getBytes(StandardCharsets.UTF_8))
                        : super.getResourceAsStream(name);
            }
        };
    }

    @Test
    void noDataSourceIsAFault() {
        assertFault(
                DurableTrial.application(),
                Mails.class,
                "retryon.durable.store: is 'auto', but the application has no DataSource bean");
    }

    @Test
    void aMissingTableIsAFault() {
        assertFault(
                DurableTrial.inMemory().withPropertyValues("retryon.jdbc.initialize-schema=never"),
                Mails.class,
                "retryon.jdbc.initialize-schema: is 'never', but table 'retryon_call' cannot be read");
    }

    @Test
    void aDatabaseThatCannotBeReachedIsAFault() {
        assertFault(
                DurableTrial.inMemory()
                        .withPropertyValues(
                                "spring.datasource.url=jdbc:h2:tcp://localhost:1/gone",
                                "spring.datasource.hikari.connection-timeout=250"),
                Mails.class,
                "retryon.durable.store: selects a database that cannot be used; check its address and state: ");
    }

    @Test
    void aRetryThatIsToJoinTransactionsOfAnotherDatabaseIsAFault() {
        ApplicationContextRunner beside = DurableTrial.inMemory()
                .withPropertyValues(
                        "retryon.durable.store=embedded",
                        "retryon.durable.path=" + folder.resolve("calls.db"),
                        "retryon.durable.transaction=join");

        assertFault(
                beside,
                Mails.class,
                "durable.mode is 'on-failure', but calls are stored in a separate file, which does not take part in the"
                        + " application's transactions",
                "or set retryon.durable.transaction=requires-new");
    }

    @Test
    void withoutAStoreOfDeadLettersNothingIsDurable() {
        // RetryOn alone, as in a slice: the store of dead letters is not there.
        assertFault(
                new ApplicationContextRunner()
                        .withConfiguration(AutoConfigurations.of(
                                AopAutoConfiguration.class,
                                RetryDurableCoreAutoConfiguration.class,
                                RetryAutoConfiguration.class)),
                Mails.class,
                AT
                        + "Mails.send: durable.mode is 'on-failure', but the application has no store for calls that"
                        + " fail permanently, and no caller receives their errors; configure a DataSource");
    }

    @Test
    void anUnknownStoreAndWrongNumbersAreFaultsTogether() {
        assertFault(
                DurableTrial.application()
                        .withPropertyValues(
                                "retryon.durable.store=redis",
                                "retryon.durable.threads=-1",
                                "retryon.durable.poll-interval=1ms",
                                "retryon.durable.transaction=never"),
                Plain.class,
                "retryon.durable.store: is 'redis', but must be one of auto, embedded",
                "retryon.durable.threads: is '-1', but must not be negative",
                "retryon.durable.poll-interval: is '1ms', but must be between 50ms and 1h",
                "retryon.durable.transaction: is 'never', but must be one of requires-new, join");
    }

    @Test
    void aFileThatNoProcessRunsCallsOfIsAFault() {
        assertFault(
                DurableTrial.application()
                        .withPropertyValues("retryon.durable.store=embedded", "retryon.durable.threads=0"),
                Plain.class,
                "retryon.durable.threads: is '0', but retryon.durable.store is 'embedded', and no other process can"
                        + " run the calls in that file; use at least 1");
    }

    @Test
    void aWrongStoreIsOneFault() {
        DurableTrial.application()
                .withPropertyValues("retryon.durable.store=embeded")
                .withBean(Mails.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("retryon.durable.store: is 'embeded', but must be one of auto, embedded")
                        .message()
                        .doesNotContain("DataSource"));
    }

    @Test
    void anApplicationWithoutDurableMethodsOpensNothing() {
        Path file = folder.resolve("calls.db");
        DurableTrial.embedded(folder).withBean(Plain.class).run(context -> {
            context.getBean(Plain.class).send();

            assertThat(file).doesNotExist();
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .noneMatch(name -> name.startsWith("retryon-housekeeper"));
        });
    }

    @Test
    void withoutTheLibrariesTheRestWorks() {
        DurableTrial.application()
                .withClassLoader(new FilteredClassLoader(
                        "com.github.kagkarlsson", "tools.jackson", "org.springframework.jdbc", "com.zaxxer.hikari"))
                .withBean(Plain.class)
                .run(context -> {
                    context.getBean(Plain.class).send();
                    assertThat(context).doesNotHaveBean("retryOnDurableCalls").doesNotHaveBean("retryOnStoreChoice");
                });
    }

    static class Values {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public int number() {
            return 1;
        }

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public CompletableFuture<String> later() {
            return CompletableFuture.completedFuture("");
        }

        @SuppressWarnings("rawtypes")
        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public CompletionStage raw() {
            return CompletableFuture.completedFuture("");
        }

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public CompletableFuture<?> any() {
            return CompletableFuture.completedFuture("");
        }

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public Flux<Void> many() {
            return Flux.empty();
        }
    }

    static class InBackground {

        @Async
        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void send() {}
    }

    static class InBackgroundAfterAFailure {

        @Async
        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void send() {}
    }

    static class Streams {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void send(InputStream body) {}
    }

    /** Public, so that another class loader can define its proxy. */
    public static class Mails {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void send(String id) {}
    }

    /** Public, so that another class loader can define its proxy. */
    public static class Plain {

        @RetryOn(IOException.class)
        public void send() {}
    }
}
