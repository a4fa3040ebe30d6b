// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.retryon.RetryContext;
import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.store.TestMariaDb;
import dev.retryon.durable.internal.store.TestMySql;
import dev.retryon.durable.internal.store.TestPostgres;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.module.ChangesForAllNodes;
import dev.retryon.spring.module.RuntimeChange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ScriptUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Each statement of the engine runs on each database. Other classes test the behaviours one by one, on one database by
 * default and on all of them with {@code -Dendurance}.
 */
@Tag("database")
class EachDatabaseTests {

    private static final StoredCalls.Filter ALL = StoredCalls.Filter.of(State.WAITING, State.RUNNING);

    private final Partner partner = new Partner();

    @TempDir
    private Path folder;

    enum Product {
        POSTGRESQL,
        MARIADB,
        MYSQL,
        H2,
        SQLITE;

        /** The address of an empty database. */
        String url(Path folder) {
            return switch (this) {
                case POSTGRESQL -> TestPostgres.database();
                case MARIADB -> TestMariaDb.database();
                case MYSQL -> TestMySql.database();
                case H2 -> "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
                case SQLITE ->
                    "jdbc:sqlite:" + folder.resolve("shop.db")
                            + "?journal_mode=WAL&transaction_mode=IMMEDIATE&busy_timeout=10000";
            };
        }
    }

    private ApplicationContextRunner application(Product product, String... properties) {
        return DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=" + product.url(folder),
                        "retryon.jdbc.initialize-schema=always",
                        "retryon.durable.lanes.mail.threads=1",
                        "retryon.durable.lanes.urgent.priority=5",
                        "retryon.durable.lanes.paced.max-per-second=10",
                        "retryon.durable.lanes.paced.probe=true")
                .withPropertyValues(properties)
                .withBean(Jobs.class, () -> new Jobs(partner));
    }

    private static TransactionTemplate transaction(ApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    private static void awaitNoCalls(ApplicationContext context) {
        await().until(() -> DurableTrial.stored(context) == 0);
    }

    @ParameterizedTest
    @EnumSource
    void callsAreStoredAndRetriedAndDieAndAreResent(Product product) {
        application(product).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            transaction(context).executeWithoutResult(status -> {
                jobs.ship("rolled back");
                status.setRollbackOnly();
            });
            transaction(context).executeWithoutResult(status -> {
                jobs.ship("committed");
                assertThat(DurableTrial.stored(context)).isOne();
                assertThat(partner.done).isEmpty();
            });
            awaitNoCalls(context);
            assertThat(partner.done).containsExactly("committed 1");

            partner.failures = 2;
            jobs.pay("retried");
            awaitNoCalls(context);
            assertThat(partner.done).containsExactly("committed 1", "retried 3");

            partner.failures = 3;
            jobs.pay("dies");
            awaitNoCalls(context);
            StoredCalls letters = context.getBean(StoredCalls.class);
            DeadLetter letter = DurableTrial.deadLetters(context).get(0);
            assertThat(letter.reason()).isEqualTo(StopReason.EXHAUSTED);
            assertThat(letter.failures()).hasSize(3);
            assertThat(letter.arguments()).isEqualTo("{\"id\":\"dies\"}");
            assertThat(letters.count(StoredCalls.Filter.ALL)).isOne();

            partner.failures = 0;
            assertThat(letters.by("alice").resend(letter.id())).isTrue();
            await().until(() -> letters.find(letter.id()).orElseThrow().state() == State.RESOLVED);
            awaitNoCalls(context);
            assertThat(partner.done).last().isEqualTo("dies 1");
        });
    }

    /** By the script of the changelog. The former tables are made of the present one. */
    @ParameterizedTest
    @EnumSource
    void rowsOfTheFormerTablesAreMoved(Product product) {
        ApplicationContextRunner node = application(product);
        node.run(context -> {
            partner.failures = 3;
            Jobs jobs = context.getBean(Jobs.class);
            jobs.pay("dead");
            jobs.pay("discarded");
            jobs.pay("resent");
            awaitNoCalls(context);
            StoredCalls letters = context.getBean(StoredCalls.class);
            letters.discard(id(context, "discarded"), "no longer needed");
            letters.by("alice").resend(id(context, "resent"), Duration.ofHours(1));
        });
        node.withPropertyValues("retryon.defaults.delay=1h", "retryon.defaults.max-delay=1h")
                .run(context -> context.getBean(Jobs.class).pay("waiting"));

        node.withPropertyValues("retryon.durable.threads=0").run(context -> {
            JdbcTemplate jdbc = new JdbcTemplate(context.getBean(DataSource.class));
            List<DeadLetter> before = DurableTrial.deadLetters(context);
            FORMER_TABLES.forEach(jdbc::execute);
            jdbc.execute("update retryon_call set picked = true, last_heartbeat = execution_time");
            assertThatThrownBy(() -> runScript(jdbc, product)).isInstanceOf(DataAccessException.class);
            jdbc.execute("drop table retryon_running");
            jdbc.execute("update retryon_call set picked = false");

            runScript(jdbc, product);

            assertThat(DurableTrial.deadLetters(context)).containsExactlyElementsOf(before);
            assertThat(before)
                    .extracting(DeadLetter::state)
                    .containsExactlyInAnyOrder(State.DEAD, State.DISCARDED, State.WAITING);
            assertThat(DurableTrial.stored(context)).isEqualTo(2);
        });

        partner.failures = 0;
        partner.done.clear();
        node.run(context -> {
            CallStore ledger = context.getBean(CallStore.class);
            ledger.list(ALL, null, 10).calls().forEach(call -> ledger.hasten(call.id(), Instant.now(), null));
            awaitNoCalls(context);
            assertThat(partner.done).containsExactlyInAnyOrder("resent 1", "waiting 2");
            context.getBean(StoredCalls.class).resend(id(context, "dead"));
            awaitNoCalls(context);
            assertThat(DurableTrial.deadLetters(context))
                    .extracting(DeadLetter::state)
                    .containsExactlyInAnyOrder(State.RESOLVED, State.DISCARDED, State.RESOLVED);
        });
    }

    private static final List<String> FORMER_TABLES = List.of(
            "create table retryon_dead_letter as select task_instance as id, task_name as application, name, method, bean,"
                    + " arguments, error_code, error_type, error_message, stack_trace, failures, attempt as attempts, reason,"
                    + " first_failed_at, died_at, case state when 'WAITING' then 'RETRYING' else state end as status,"
                    + " trace_id, trace_parent, replace(replace(actions, '\"what\":\"RESENT\"', '\"what\":\"RETRYING\"'),"
                    + " '\"what\":\"DIED\"', '\"what\":\"DEAD\"') as actions from retryon_call where died_at is not null",
            "create table former as select task_name, task_instance, task_data, execution_time, picked, picked_by,"
                    + " last_success, last_failure, consecutive_failures, last_heartbeat, version, name, error_type, attempt,"
                    + " started_at, lane, unique_key from retryon_call where state = 'WAITING'",
            "drop table retryon_call",
            "alter table former rename to retryon_call");

    private static void runScript(JdbcTemplate jdbc, Product product) throws IOException {
        String schema = "dev/retryon/durable/store/schema-" + product.name().toLowerCase(Locale.ROOT) + ".sql";
        String script = Files.readString(Path.of("../../CHANGELOG.md"))
                .replaceFirst("(?s).*### Moving the rows.*?```sql", "")
                .replaceFirst("(?s)```.*", "")
                .replaceFirst(
                        "-- Run the schema script.*",
                        Matcher.quoteReplacement(new ClassPathResource(schema).getContentAsString(UTF_8)));
        if (product == Product.SQLITE) {
            script = script.replaceFirst("TIMESTAMP '[^']*'", "946684800000");
        }
        ByteArrayResource statements = new ByteArrayResource(script.getBytes(UTF_8));
        jdbc.execute((ConnectionCallback<?>) connection -> {
            ScriptUtils.executeSqlScript(connection, statements);
            return null;
        });
    }

    private static String id(ApplicationContext context, String argument) {
        return DurableTrial.deadLetters(context).stream()
                .filter(letter -> String.valueOf(letter.arguments()).contains(argument))
                .findFirst()
                .orElseThrow()
                .id();
    }

    @ParameterizedTest
    @EnumSource
    void waitingCallsAreListedHastenedAndGivenUp(Product product) {
        application(product, "retryon.defaults.delay=1h", "retryon.defaults.max-delay=1h")
                .run(context -> {
                    Jobs jobs = context.getBean(Jobs.class);
                    partner.failures = 1;
                    for (int i = 0; i < 5; i++) {
                        jobs.pay("pay " + i);
                        jobs.mail("mail " + i);
                    }
                    StoredCalls calls = context.getBean(StoredCalls.class);
                    CallStore ledger = context.getBean(CallStore.class);

                    assertThat(ledger.groups(ALL, 10))
                            .extracting(StoredCalls.Group::name, StoredCalls.Group::count)
                            .containsExactlyInAnyOrder(tuple("Jobs.pay", 5L), tuple("Jobs.mail", 5L));
                    assertThat(paged(ledger)).hasSize(10).doesNotHaveDuplicates();
                    assertThat(ledger.count(filter("Jobs.pay", null, null))).isEqualTo(5);
                    assertThat(ledger.count(filter(null, "mail", null))).isEqualTo(5);
                    assertThat(ledger.count(filter(null, null, "PAY"))).isEqualTo(5);
                    assertThat(ledger.count(filter(null, null, "%"))).isZero();
                    assertThat(ledger.count(new StoredCalls.Filter(
                                    Set.of(State.WAITING, State.RUNNING), null, null, null, null, Instant.now(), null)))
                            .isZero();
                    assertThat(context.getBean(CallEngine.class)
                                    .backlog()
                                    .get("mail")
                                    .waiting())
                            .isEqualTo(5);
                    StoredCalls.Summary first = ledger.list(filter("Jobs.pay", null, null), null, 1)
                            .calls()
                            .get(0);
                    assertThat(calls.find(first.id()).orElseThrow().arguments()).contains("pay ");

                    partner.failures = 0;
                    assertThat(calls.runNow(first.id())).isTrue();
                    await().until(() -> DurableTrial.stored(context) == 9);
                    StoredCalls.Summary second = ledger.list(filter("Jobs.pay", null, null), null, 1)
                            .calls()
                            .get(0);
                    assertThat(calls.by("alice").giveUp(second.id(), "wrong order"))
                            .isTrue();
                    assertThat(DurableTrial.deadLetters(context))
                            .singleElement()
                            .satisfies(letter -> assertThat(letter.id()).isEqualTo(second.id()));
                    StoredCalls.Bulk fast = StoredCalls.Bulk.confirmed(StoredCalls.Bulk.MAX_PER_SECOND);
                    calls.by("alice").giveUpAll(filter(null, "mail", null), "closed", fast);
                    await().until(() -> DurableTrial.stored(context) == 3);
                    assertThat(DurableTrial.deadLetters(context)).hasSize(6);
                    await().until(() -> calls.task().orElseThrow().state() != StoredCalls.Task.State.RUNNING);
                    calls.runAllNow(ALL, fast);
                    awaitNoCalls(context);
                    assertThat(partner.done).hasSize(4).doesNotHaveDuplicates();
                });
    }

    private static StoredCalls.Filter filter(String name, String lane, String text) {
        return new StoredCalls.Filter(Set.of(State.WAITING, State.RUNNING), name, null, lane, text, null, null);
    }

    private static List<String> paged(CallStore ledger) {
        List<String> ids = new ArrayList<>();
        String cursor = null;
        do {
            StoredCalls.Page page = ledger.list(ALL, cursor, 3);
            page.calls().forEach(call -> ids.add(call.id()));
            cursor = page.next();
        } while (cursor != null);
        return ids;
    }

    @ParameterizedTest
    @EnumSource
    void lanesHavePrioritiesAndThreadsAndCanBePaused(Product product) {
        application(product, "retryon.durable.threads=1", "retryon.durable.heartbeat-interval=500ms")
                .run(context -> {
                    Jobs jobs = context.getBean(Jobs.class);
                    RuntimeSettings settings = context.getBean(RuntimeSettings.class);
                    RuntimeChange.Target mail =
                            new RuntimeChange.Target(RuntimeChange.Scope.SELECTED, "lanes/mail", false);
                    settings.change(mail, Map.of("paused", "true"), null, "operator");
                    jobs.hang();
                    await().until(() -> partner.hanging);
                    jobs.sendMail("mail");
                    for (int i = 0; i < 6; i++) {
                        jobs.ship("normal");
                    }
                    for (int i = 0; i < 6; i++) {
                        jobs.hurry("urgent");
                    }
                    jobs.ship("of another node");
                    DurableTrial.store(context)
                            .jdbc()
                            .sql("update retryon_call set lane = 'unknown here' where picked = ? and lane = 'default'"
                                    + " and name = 'Jobs.ship'")
                            .param(false)
                            .update();

                    partner.gate.countDown();
                    await().until(() -> DurableTrial.stored(context) == 1);
                    // On some databases, three calls are looked up ahead of the thread.
                    assertThat(partner.done.subList(0, 9))
                            .filteredOn("urgent 1"::equals)
                            .hasSize(6);
                    assertThat(partner.done).hasSize(13).doesNotContain("mail 1");

                    settings.takeBack(mail, "operator");
                    awaitNoCalls(context);
                    assertThat(partner.done).last().isEqualTo("mail 1");
                    assertThat(partner.threads).anyMatch(name -> name.startsWith("retryon-worker-mail-"));
                });
    }

    @ParameterizedTest
    @EnumSource
    void aPacedLaneKeepsItsRateAndTriesOneCallAtATimeWhileItsPartnerIsDown(Product product) {
        application(product).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            partner.failures = 2;
            long begin = System.nanoTime();
            for (int i = 0; i < 4; i++) {
                jobs.pace("paced " + i);
            }
            DurableCalls calls = context.getBean(DurableCalls.class);
            await().until(() ->
                    calls.lanes().stream().anyMatch(lane -> lane.state().equals("probing")));
            partner.failures = 0;
            awaitNoCalls(context);
            assertThat(partner.done).hasSize(4).doesNotHaveDuplicates();
            // Two at once, because 250 ms are made up for, and at least three more attempts at 10 a second.
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(240));
        });
    }

    @ParameterizedTest
    @EnumSource
    void twoNodesShareCallsAndChangesAndTakeOverACallOfAThird(Product product) {
        ApplicationContextRunner node = application(
                product,
                "retryon.durable.heartbeat-interval=500ms",
                "retryon.jdbc.shared-settings.poll-interval=100ms");
        node.run(one -> node.run(two -> {
            Jobs jobs = one.getBean(Jobs.class);
            for (int i = 0; i < 100; i++) {
                jobs.ship("order " + i);
            }
            awaitNoCalls(one);
            assertThat(partner.done).hasSize(100).doesNotHaveDuplicates();

            ChangesForAllNodes here = one.getBean(ChangesForAllNodes.class);
            here.change(
                    RuntimeChange.Scope.SELECTED,
                    "lanes/mail",
                    Map.of("paused", "true"),
                    Duration.ofHours(1),
                    "operator");
            here.change(RuntimeChange.Scope.SELECTED, "lanes/mail", Map.of("paused", "true"), null, "operator");
            await().until(() -> changes(two) == 1);
            jobs.sendMail("paused");
            jobs.ship("not paused");
            await().until(() -> DurableTrial.stored(one) == 1);
            assertThat(partner.done).last().isEqualTo("not paused 1");
            two.getBean(ChangesForAllNodes.class).takeBack(RuntimeChange.Scope.SELECTED, "lanes/mail", "operator");
            awaitNoCalls(one);
            await().until(() -> changes(one) == 0);

            one.getBean(DurableLifecycle.class).stop();
            two.getBean(DurableLifecycle.class).stop();
            jobs.ship("taken over");
            DurableTrial.store(one)
                    .jdbc()
                    .sql("update retryon_call set picked = ?, picked_by = 'gone', last_heartbeat = execution_time")
                    .param(true)
                    .update();
            two.getBean(DurableLifecycle.class).start();
            awaitNoCalls(two);
            assertThat(partner.done).last().isEqualTo("taken over 2");
        }));
    }

    private static int changes(ApplicationContext context) {
        return context.getBean(RuntimeSettings.class).changes().size();
    }

    static class Partner {

        final List<String> done = new CopyOnWriteArrayList<>();

        final List<String> threads = new CopyOnWriteArrayList<>();

        final CountDownLatch gate = new CountDownLatch(1);

        volatile boolean hanging;

        /** The number of attempts of each call that fail. */
        volatile int failures;

        void call(String id) throws IOException {
            if (RetryContext.current().attempt() <= failures) {
                throw new IOException("down");
            }
            accept(id);
        }

        void accept(String id) {
            threads.add(Thread.currentThread().getName());
            done.add(id + " " + RetryContext.current().attempt());
        }

        void hang() throws InterruptedException {
            hanging = true;
            gate.await();
        }
    }

    @RetryOn(exceptions = IOException.class, maxAttempts = 3)
    @Durable(OUTBOX)
    static class Jobs {

        private final Partner partner;

        Jobs(Partner partner) {
            this.partner = partner;
        }

        public void hang() throws InterruptedException {
            partner.hang();
        }

        public void ship(String id) {
            partner.accept(id);
        }

        @Durable(lane = "mail")
        public void sendMail(String id) {
            partner.accept(id);
        }

        @Durable(lane = "urgent")
        public void hurry(String id) {
            partner.accept(id);
        }

        @Durable(ON_FAILURE)
        public void pay(String id) throws IOException {
            partner.call(id);
        }

        @Durable(lane = "paced")
        public void pace(String id) throws IOException {
            partner.call(id);
        }

        @Durable(value = ON_FAILURE, lane = "mail")
        public void mail(String id) throws IOException {
            partner.call(id);
        }
    }
}
