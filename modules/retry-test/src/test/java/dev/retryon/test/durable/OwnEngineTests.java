// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.acme.orders.CallStorage;
import com.acme.orders.TimerEngine;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.deadletter.InMemoryDeadLetterStore;
import dev.retryon.durable.CallEngine;
import dev.retryon.durable.CallLease;
import dev.retryon.durable.Durable;
import dev.retryon.durable.autoconfigure.RetryDeadLetterAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryStoreAutoConfiguration;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;

/** An application that defines a {@link CallEngine} bean needs no database. */
@ExtendWith(OutputCaptureExtension.class)
class OwnEngineTests {

    private static ApplicationContextRunner application() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        RetryAutoConfiguration.class,
                        RetryDurableCoreAutoConfiguration.class,
                        RetryStoreAutoConfiguration.class,
                        RetryDeadLetterAutoConfiguration.class,
                        RetryDurableAutoConfiguration.class))
                .withPropertyValues("retryon.defaults.delay=1ms", "retryon.durable.unresolved-after=1ms")
                .withClassLoader(new FilteredClassLoader("com.github.kagkarlsson", "com.zaxxer.hikari"));
    }

    private static ApplicationContextRunner application(Supplier<CallEngine> engine) {
        return application().withBean("engine", CallEngine.class, engine);
    }

    private static ApplicationContextRunner withLetters(Supplier<CallEngine> engine) {
        return application(engine).withBean(DeadLetterStore.class, InMemoryDeadLetterStore::new);
    }

    @Test
    void runsCallsWithoutADatabase(CapturedOutput output) {
        application()
                .withUserConfiguration(CallStorage.class)
                .withBean(Mails.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Mails mails = context.getBean(Mails.class);
                    mails.send(2);
                    assertThat(mails.ended().await(30, TimeUnit.SECONDS)).isTrue();
                });
        assertThat(output).doesNotContain("WARN", "ERROR");
    }

    /** With class loading as in an application: a filter only hides classes from conditions. */
    @Test
    @Tag("slow")
    void needsNoClassesOfADatabase() throws Exception {
        List<URL> classPath = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            String name = new File(entry).getName();
            if (Stream.of("db-scheduler", "HikariCP", "h2-", "spring-jdbc", "spring-boot-jdbc", "spring-boot-sql")
                    .noneMatch(name::startsWith)) {
                classPath.add(new File(entry).toURI().toURL());
            }
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader application =
                new URLClassLoader(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(application);
            Object ended = application
                    .loadClass(Program.class.getName())
                    .getMethod("runs")
                    .invoke(null);
            assertThat(ended).isEqualTo(true);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        RetryAutoConfiguration.class,
        RetryDurableCoreAutoConfiguration.class,
        RetryStoreAutoConfiguration.class,
        RetryDeadLetterAutoConfiguration.class,
        RetryDurableAutoConfiguration.class
    })
    @Import({CallStorage.class, Mails.class})
    public static class Program {

        public static boolean runs() throws Exception {
            try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Program.class)
                    .web(WebApplicationType.NONE)
                    .registerShutdownHook(false)
                    .properties("retryon.defaults.delay=1ms")
                    .run()) {
                Mails mails = context.getBean(Mails.class);
                mails.send(2);
                return mails.ended().await(30, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void givesUpCallsThatNoProcessCanRun() {
        TimerEngine engine = new TimerEngine();
        withLetters(() -> engine).withBean(Mails.class).run(context -> {
            engine.add(
                    "unreadable",
                    new byte[] {1},
                    new CallEngine.Label("Old.send", null, 0, Instant.now(), "default"),
                    Instant.now());
            DeadLetterStore letters = context.getBean(DeadLetterStore.class);
            await(() -> letters.find("unreadable").isPresent());
        });
    }

    @Test
    void outboxNeedsAnEngineThatJoinsTransactions() {
        ApplicationContextRunner outbox = withLetters(TimerEngine::new).withBean(Outbox.class);
        outbox.run(context -> assertThat(context).hasNotFailed()); // there are no transactions
        ApplicationContextRunner transactional =
                outbox.withBean(PlatformTransactionManager.class, PlainTransactions::new);
        transactional.run(context -> assertThat(context)
                .getFailure()
                .hasMessageContaining("durable.mode is 'outbox', but the CallEngine of this application,"
                        + " com.acme.orders.TimerEngine, does not take part in transactions: a call would run even if the"
                        + " transaction of its caller is rolled back. Implement its transactions(), or set"
                        + " retryon.durable.outbox-apart=true if your application tolerates that"));
        transactional
                .withPropertyValues("retryon.durable.outbox-apart=true")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void joinNeedsAnEngineThatJoinsTransactions() {
        withLetters(TimerEngine::new)
                .withBean(Mails.class)
                .withBean(PlatformTransactionManager.class, PlainTransactions::new)
                .withPropertyValues("retryon.durable.transaction=join")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("or retryon.durable.transaction=requires-new"));
    }

    @Test
    void uniqueKeysNeedAnEngineThatHasThem() {
        withLetters(TimerEngine::new)
                .withBean(Unique.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("durable.uniqueKey is '#id', but the CallEngine of this application,"
                                + " com.acme.orders.TimerEngine, has no unique keys, so duplicates would be stored; remove"
                                + " uniqueKey, or implement addUnique and hasUniqueKeys"));
    }

    @Test
    void deadLettersNeedAStore() {
        application(TimerEngine::new)
                .withBean(Mails.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("there is no DataSource bean to store calls in"));
    }

    @Test
    void aContextInsideUsesItsOwnEngine() {
        withLetters(TimerEngine::new)
                .withBean(Mails.class)
                .run(parent -> withLetters(TimerEngine::new)
                        .withParent(parent)
                        .withBean("inner", Mails.class)
                        .run(context -> {
                            assertThat(context).hasNotFailed();
                            assertThat(context.getBean(CallEngine.class)).isNotSameAs(parent.getBean(CallEngine.class));
                            Mails mails = context.getBean("inner", Mails.class);
                            mails.send(2);
                            assertThat(mails.ended().await(30, TimeUnit.SECONDS))
                                    .isTrue();
                        }));
    }

    @Test
    void anEngineThatFailsLosesNoError() {
        withLetters(BrokenEngine::new).withBean(Mails.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> context.getBean(Mails.class).send(9));
        });
    }

    @Test
    void aLeaseThatIsPassedTwiceEndsOnce() {
        withLetters(HastyEngine::new).withBean(Mails.class).run(context -> {
            Mails mails = context.getBean(Mails.class);
            mails.send(1);
            assertThat(mails.ended().await(30, TimeUnit.SECONDS)).isTrue();
            HastyEngine engine = context.getBean(HastyEngine.class);
            await(() -> engine.passed.get() == 2);
            assertThat(engine.backlog()).isEmpty();
            assertThat(context.getBean(DeadLetterStore.class).totals()).isEmpty();
        });
    }

    @Test
    void anEngineWithoutTransactionsSaysSo() {
        withLetters(NullEngine::new)
                .withBean(Mails.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("transactions() of the CallEngine bean returned null"));
    }

    @Test
    void virtualCallsTakeThePlaceOfAnEngineAndADatabase() {
        application(BrokenEngine::new)
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        VirtualDurableCallsConfiguration.class))
                .withBean(Mails.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    context.getBean(Mails.class).send(1);
                    StoredCalls calls = context.getBean(StoredCalls.class);
                    assertThat(calls.waiting()).hasSize(1);
                    assertThat(calls.advance(Duration.ofSeconds(1))).isEqualTo(1);
                    assertThat(context.getBean(DeadLetterStore.class)).isInstanceOf(InMemoryDeadLetterStore.class);
                    try (Connection database = context.getBean(DataSource.class).getConnection()) {
                        assertThat(database.getMetaData()
                                        .getTables(null, null, "RETRYON%", null)
                                        .next())
                                .isFalse();
                    }
                });
    }

    private static void await(Supplier<Boolean> condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.get()) {
            assertThat(System.nanoTime()).isLessThan(end);
            var unused = new CountDownLatch(1).await(2, TimeUnit.MILLISECONDS);
        }
    }

    /** Passes each lease twice. */
    static class HastyEngine extends TimerEngine {

        private final AtomicInteger passed = new AtomicInteger();

        @Override
        public void start(Consumer<CallLease> worker) {
            super.start(lease -> {
                for (int i = 0; i < 2; i++) {
                    worker.accept(lease);
                    passed.incrementAndGet();
                }
            });
        }
    }

    static class NullEngine extends TimerEngine {

        @Override
        @SuppressWarnings("NullAway")
        public Transactions transactions() {
            return null;
        }
    }

    /** Stores nothing. */
    static class BrokenEngine extends TimerEngine {

        @Override
        public void add(String id, byte[] call, Label label, Instant due) {
            throw new StackOverflowError("broken");
        }
    }

    /** Public, because another class loader defines its proxy. */
    public static class Mails {

        private final CountDownLatch ended = new CountDownLatch(1);

        private int attempts;

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void send(int failures) throws IOException {
            if (attempts++ < failures) {
                throw new IOException("attempt " + attempts);
            }
            ended.countDown();
        }

        public CountDownLatch ended() {
            return ended;
        }
    }

    /** Public, because another class loader defines its proxy. */
    public static class Outbox {

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void send() {}
    }

    /** Public, because another class loader defines its proxy. */
    public static class Unique {

        @RetryOn(IOException.class)
        @Durable(value = ON_FAILURE, uniqueKey = "#id")
        public void send(String id) {}
    }
}
