// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.retryon.DeadLettered;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.durable.Durable;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.ExtensionErrors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.TimeZone;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** What other ways of storing calls were seen to get wrong. */
@Tag("slow")
class DurabilityHazardsTests {

    ApplicationContextRunner database() {
        return DurableTrial.inMemory();
    }

    private ApplicationContextRunner application() {
        return database().withBean(Mails.class);
    }

    private static Mails mails(ApplicationContext context) {
        return context.getBean(Mails.class);
    }

    private static JdbcClient jdbc(ApplicationContext context) {
        return DurableTrial.store(context).jdbc();
    }

    private static TransactionTemplate transaction(ApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    @Test
    void callsAreStoredAsJsonAndNotAsSerialisedObjects() {
        application().run(context -> {
            mails(context).sendTomorrow("17");

            byte[] stored = jdbc(context)
                    .sql("select task_data from retryon_call")
                    .query((row, number) -> row.getBytes(1))
                    .single();
            assertThat(new String(stored, StandardCharsets.UTF_8))
                    .startsWith("{\"v\":1,")
                    .contains("\"args\":{\"id\":\"17\"}")
                    .endsWith("}");
        });
    }

    @Test
    void aSchedulerOfTheApplicationAndOursDoNotMeet() {
        application().withUserConfiguration(OwnScheduler.class).run(context -> {
            assertThat(context).hasSingleBean(Scheduler.class);
            assertThat(context).hasSingleBean(Task.class);
            OwnScheduler own = context.getBean(OwnScheduler.class);

            context.getBean(Scheduler.class).schedule(own.report.instance("report"), Instant.now());
            mails(context).send("17");

            await().until(() -> own.done.size() == 1);
            await().until(() -> mails(context).sent().size() == 1);
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(own.done).containsExactly("report");
        });
    }

    @Test
    void noSchedulerAndNoTaskOfOursIsABean() {
        application().run(context -> {
            assertThat(context).doesNotHaveBean(Scheduler.class).doesNotHaveBean(Task.class);
        });
    }

    @Test
    void timesAreStoredInUtcWhateverTheTimeZoneOfTheProcess() {
        TimeZone zone = TimeZone.getDefault();
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kolkata"));
        try {
            application().run(context -> {
                mails(context).sendTomorrow("17");

                assertThat(jdbc(context)
                                .sql("select cast(" + utc("execution_time") + " as char(26)) from retryon_call")
                                .query(String.class)
                                .single())
                        .satisfies(text -> assertThat(LocalDateTime.parse(
                                                text.substring(0, 19),
                                                DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss"))
                                        .toInstant(ZoneOffset.UTC))
                                .isCloseTo(Instant.now().plus(Duration.ofDays(1)), within(10, ChronoUnit.MINUTES)));
            });
        } finally {
            TimeZone.setDefault(zone);
        }
    }

    /** A column with a time zone is shown in that of the session. */
    String utc(String column) {
        return column + " at time zone 'UTC'";
    }

    @Test
    void whatThisProcessStoresIsDueInTimeHoweverSeldomItLooks() {
        application().withPropertyValues("retryon.durable.poll-interval=1h").run(context -> {
            mails(context).send("17");
            mails(context).bounce();

            await().until(() -> mails(context).sent().size() == 1);
            await().until(() -> DurableTrial.deadLetters(context).size() == 1);
        });
    }

    @Test
    void theEngineIsStoppedBeforeWhatAttemptsNeed() {
        application().run(context -> {
            assertThat(context.getBean(DurableLifecycle.class).getPhase()).isEqualTo(SmartLifecycle.DEFAULT_PHASE);
            assertThat(SmartLifecycle.DEFAULT_PHASE).isEqualTo(Integer.MAX_VALUE);
        });
    }

    @Test
    void noMoreCallsAreHeldThanThereAreThreadsToMakeThem() {
        application().withPropertyValues("retryon.durable.threads=2").run(context -> {
            for (int i = 0; i < 10; i++) {
                mails(context).wait("call " + i);
            }

            await().until(() -> mails(context).waiting().size() == 2);
            List<String> holders = jdbc(context)
                    .sql("select picked_by from retryon_call where picked = true")
                    .query(String.class)
                    .list();
            // Held calls in a queue would have nobody who confirms the hold.
            assertThat(holders).hasSize(2);
            assertThat(holders.get(0))
                    .as("unique, beside the name of the machine")
                    .matches(".+-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
            mails(context).open();
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(mails(context).waiting()).hasSize(10);
        });
    }

    @Test
    void aCallThatIsThereAlreadyIsReportedAndNotIgnored() {
        application().run(context -> {
            CallEngine engine = context.getBean(CallEngine.class);
            Instant later = Instant.now().plus(Duration.ofDays(1));
            CallEngine.Label label = new CallEngine.Label("Works.run", null, 0, later, "default", "");
            engine.add(null, "17", new byte[] {1}, label, later);

            assertThatThrownBy(() -> engine.add(null, "17", new byte[] {2}, label, later))
                    .isInstanceOf(DuplicateKeyException.class);
        });
    }

    @Test
    void noCallIsHeldWithoutAHeartbeatForItWouldNeverBeTakenOver() {
        application().run(context -> {
            mails(context).sendTomorrow("17");

            assertThatThrownBy(() -> jdbc(context)
                            .sql("update retryon_call set picked = true")
                            .update())
                    .isInstanceOf(DataAccessException.class);
        });
    }

    @Test
    void aRetryOutlivesTheTransactionThatItsErrorHasRolledBack() {
        application().run(context -> {
            assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> {
                        mails(context).sendTomorrow("17");
                        throw new IllegalStateException("the order is wrong too");
                    }))
                    .hasMessage("the order is wrong too");

            assertThat(DurableTrial.stored(context)).isOne();
        });
    }

    @Test
    void aRetryThatJoinsItsCallerIsRolledBackWithIt() {
        application().withPropertyValues("retryon.durable.transaction=join").run(context -> {
            assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> {
                        mails(context).sendTomorrow("17");
                        throw new IllegalStateException("the order is wrong too");
                    }))
                    .hasMessage("the order is wrong too");
            assertThat(DurableTrial.stored(context)).isZero();

            transaction(context).executeWithoutResult(status -> mails(context).sendTomorrow("18"));
            assertThat(DurableTrial.stored(context)).isOne();
        });
    }

    @Test
    void aPoolWithoutASecondConnectionIsReportedToTheCaller() {
        ApplicationContextRunner small = application()
                .withPropertyValues(
                        "spring.datasource.hikari.maximum-pool-size=1",
                        "spring.datasource.hikari.connection-timeout=250",
                        // As with pools that RetryOn can't copy.
                        "retryon.jdbc.own-connections=0",
                        // The workers of this process would take the only connection now and then.
                        "retryon.durable.poll-interval=1h",
                        "retryon.durable.heartbeat-interval=1h");
        small.run(context -> {
            assertThatThrownBy(() -> transaction(context)
                            .executeWithoutResult(status -> mails(context).sendTomorrow("17")))
                    .isInstanceOf(UncheckedIOException.class)
                    .satisfies(ex -> assertThat(ex.getSuppressed())
                            .anySatisfy(suppressed ->
                                    assertThat(suppressed).hasStackTraceContaining("Connection is not available")));
            assertThat(DurableTrial.stored(context)).isZero();
        });
        small.withPropertyValues("retryon.durable.transaction=join").run(context -> {
            transaction(context).executeWithoutResult(status -> mails(context).sendTomorrow("17"));
            assertThat(DurableTrial.stored(context)).isOne();
        });
    }

    @Test
    void aCallThatCannotBeKeptWhenItDiesGoesOnWaiting() {
        application()
                .withPropertyValues("retryon.durable.heartbeat-interval=250ms")
                .run(context -> {
                    jdbc(context)
                            .sql("alter table retryon_call add constraint none check (state = 'WAITING')")
                            .update();
                    mails(context).bounce();

                    ExtensionErrors errors = context.getBean(ExtensionErrors.class);
                    await().until(() -> errors.count(ExtensionErrorListener.Kind.STORE, "Mails.bounce") > 0);
                    assertThat(DurableTrial.stored(context)).isOne();
                    jdbc(context)
                            .sql("alter table retryon_call drop constraint none")
                            .update();

                    await().until(() -> DurableTrial.stored(context) == 0);
                    assertThat(DurableTrial.deadLetters(context)).hasSize(1);
                });
    }

    @Test
    void whoHearsOfADeadLetterFindsItInTheStore() {
        Finder finder = new Finder();
        application().withBean(Finder.class, () -> finder).run(context -> {
            finder.stores = context.getBeanProvider(CallStore.class);
            finder.apart = transaction(context);
            finder.apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            mails(context).bounce();

            await().until(() -> finder.found.size() == 1);
            assertThat(finder.found.get(0)).isPresent();
        });
    }

    static class Mails {

        private final List<String> sent = new CopyOnWriteArrayList<>();

        private final List<String> waiting = new CopyOnWriteArrayList<>();

        private final CountDownLatch gate = new CountDownLatch(1);

        List<String> sent() {
            return sent;
        }

        List<String> waiting() {
            return waiting;
        }

        void open() {
            gate.countDown();
        }

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void send(String id) {
            sent.add(id);
        }

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void wait(String id) throws InterruptedException {
            waiting.add(id);
            gate.await();
        }

        @RetryOn(value = UncheckedIOException.class, delay = "1d", maxDelay = "1d")
        @Durable(ON_FAILURE)
        public void sendTomorrow(String id) {
            throw new UncheckedIOException(new IOException("down"));
        }

        @RetryOn(value = IOException.class, maxAttempts = 2)
        @Durable(OUTBOX)
        public void bounce() throws IOException {
            throw new IOException("no such mailbox");
        }
    }

    /** Looks for each dead letter as soon as it hears of it, on a connection of its own. */
    static class Finder implements RetryListener {

        private final List<Optional<DeadLetter>> found = new CopyOnWriteArrayList<>();

        private ObjectProvider<CallStore> stores;

        private TransactionTemplate apart;

        @Override
        public void onEvent(RetryEvent event) {
            if (event instanceof DeadLettered) {
                found.add(apart.execute(status -> stores.getObject().died(event.callId())));
            }
        }
    }

    /** db-scheduler as an application uses it, with its usual table. */
    @Configuration(proxyBeanMethods = false)
    static class OwnScheduler {

        private final List<String> done = new CopyOnWriteArrayList<>();

        private final OneTimeTask<Void> report =
                Tasks.oneTime("report").execute((instance, context) -> done.add(instance.getId()));

        @Bean
        OneTimeTask<Void> report() {
            return report;
        }

        @Bean(initMethod = "start", destroyMethod = "stop")
        Scheduler scheduler(
                DataSource dataSource,
                OneTimeTask<Void> report,
                @Value("${trial.times:timestamp with time zone}") String times,
                @Value("${trial.bytes:blob}") String bytes) {
            JdbcClient.create(dataSource).sql("""
                            create table scheduled_tasks (
                                task_name varchar(100) not null, task_instance varchar(100) not null, task_data %2$s,
                                execution_time %1$s not null, picked boolean not null, picked_by varchar(50),
                                last_success %1$s, last_failure %1$s, consecutive_failures int, last_heartbeat %1$s,
                                version bigint not null, primary key (task_name, task_instance))
                            """.formatted(times, bytes)).update();
            return Scheduler.create(dataSource, report)
                    .pollingInterval(Duration.ofMillis(50))
                    .build();
        }
    }
}
