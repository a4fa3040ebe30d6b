// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.internal.call.DurableTrial.await;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.retryon.StopReason;
import dev.retryon.durable.LeaseExpiredException;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.call.Journal.Event;
import dev.retryon.durable.internal.call.Journal.Line;
import dev.retryon.durable.internal.call.KilledApplication.Work;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.store.TestMySql;
import dev.retryon.durable.internal.store.TestPostgres;
import dev.retryon.durable.internal.store.TestServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/**
 * Processes that are ended with {@code kill -9} while they make durable calls: once by default, and in series with
 * {@code -Dendurance}. {@code -Ddurability.kills=20} sets the length of a series. Add
 * {@code -Djunit.jupiter.execution.timeout.mode=disabled}, because a test that takes eight minutes fails in the build.
 */
@Tag("database")
@Tag("process")
class KillTests {

    private static final int SERIES = Integer.getInteger("durability.kills", 2);

    private static final int THREADS = 4;

    private static final String LAST = "last";

    private final Random random = new Random();

    private final long seed = Long.getLong("durability.seed", random.nextLong());

    @TempDir
    private Path folder;

    private int kills = 1;

    /** A hold lasts 4 s without heartbeats, so that none lapses on a busy machine. */
    private List<String> properties(String... others) {
        List<String> properties = new ArrayList<>(List.of(
                "trial.journal=" + journal(),
                "retryon.defaults.delay=20ms",
                "retryon.durable.threads=" + THREADS,
                "retryon.durable.heartbeat-interval=1s"));
        properties.addAll(List.of(others));
        return properties;
    }

    private Path journal() {
        return folder.resolve("journal");
    }

    @Test
    void noCallIsLostOnSqlite() throws Exception {
        killOnSqlite();
    }

    @Test
    @Tag("endurance")
    void noCallIsLostInASeriesOfKillsOnSqlite() throws Exception {
        kills = SERIES;
        killOnSqlite();
    }

    private void killOnSqlite() throws Exception {
        killAll(properties(
                "trial.work=" + Work.CALLS,
                "retryon.durable.store=embedded",
                "retryon.durable.path=" + folder.resolve("calls.db"),
                "retryon.durable.poll-interval=100ms"));
        last(DurableTrial.application()
                .withPropertyValues(
                        "retryon.durable.store=embedded", "retryon.durable.path=" + folder.resolve("calls.db")));
    }

    @Test
    @Tag("endurance")
    void noCallIsLostOnPostgres() throws Exception {
        kills = SERIES;
        String url = "spring.datasource.url=" + TestPostgres.database();
        killAll(properties(
                "trial.work=" + Work.CALLS,
                url,
                "retryon.jdbc.initialize-schema=always",
                "retryon.durable.poll-interval=100ms"));
        last(DurableTrial.inMemory().withPropertyValues(url));
    }

    @Test
    @Tag("endurance")
    void noCallOfManyCallersWithFewConnectionsIsLostOnPostgres() throws Exception {
        callersInTransactions(TestPostgres.database());
    }

    @ParameterizedTest
    @Tag("endurance")
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POSTGRESQL")
    void noCallOfManyCallersWithFewConnectionsIsLost(TestServer server) throws Exception {
        callersInTransactions(server.database());
    }

    /** One of two nodes is killed while the other one takes its calls over. */
    @Test
    @Tag("endurance")
    void noCallOfTwoNodesIsLostOnMySql() throws Exception {
        kills = 2 * SERIES;
        String url = "spring.datasource.url=" + TestMySql.database();
        List<String> properties = properties(
                "trial.work=" + Work.CALLS,
                url,
                "retryon.jdbc.initialize-schema=always",
                "retryon.durable.poll-interval=100ms");
        CompletableFuture<?> other = CompletableFuture.runAsync(() -> killAll("other", SERIES, properties));
        killAll("process", SERIES, properties);
        other.join();
        last(DurableTrial.inMemory().withPropertyValues(url));
    }

    /** A hundred callers share ten connections that do not commit by themselves. */
    private void callersInTransactions(String database) throws Exception {
        kills = SERIES;
        String[] connections = {
            "spring.datasource.url=" + database,
            "spring.datasource.hikari.maximum-pool-size=10",
            "spring.datasource.hikari.auto-commit=false"
        };
        killAll(properties(Stream.concat(
                        Stream.of(connections),
                        Stream.of(
                                "trial.work=" + Work.CALLS_IN_TRANSACTIONS,
                                "trial.callers=100",
                                "retryon.jdbc.initialize-schema=always",
                                "retryon.durable.poll-interval=100ms"))
                .toArray(String[]::new)));
        last(DurableTrial.inMemory().withPropertyValues(connections));
        assertThat(new Journal(journal(), LAST).lines(Event.REFUSED)).isEmpty();
    }

    @Test
    void whatIsCommittedIsMadeAlthoughNoWorkerWasToldOfIt() throws Exception {
        killAfterCommit();
    }

    @Test
    @Tag("endurance")
    void whatIsCommittedIsMadeByTheNextOfSeveralProcesses() throws Exception {
        kills = SERIES;
        killAfterCommit();
    }

    private void killAfterCommit() throws Exception {
        String url = "spring.datasource.url=" + TestPostgres.database();
        // They look for calls when they start, and never again: each makes what the one before has committed.
        killAll(properties(
                "trial.work=" + Work.COMMITS_AND_STANDS_STILL,
                url,
                "retryon.jdbc.initialize-schema=always",
                "retryon.durable.poll-interval=1h"));
        last(DurableTrial.inMemory().withPropertyValues(url));
        assertThat(new Journal(journal(), LAST).lines(Event.COMMITTED)).hasSize(kills);
    }

    @Test
    @Tag("endurance")
    void aCallThatEndsItsProcessEachTimeIsKeptInTheEnd() throws Exception {
        String url = "spring.datasource.url=" + TestPostgres.database();
        String heartbeat = "retryon.durable.heartbeat-interval=250ms";
        String schema = "retryon.jdbc.initialize-schema=always";
        Journal journal = new Journal(journal(), LAST);
        for (Work work : List.of(Work.PLACES_DEADLY, Work.WAITS)) {
            List<String> properties = List.of(
                    "trial.work=" + work,
                    "trial.journal=" + journal(),
                    url,
                    schema,
                    heartbeat,
                    "retryon.defaults.delay=20ms");
            try (ChildProcess child = ChildProcess.start(folder, work.name(), properties)) {
                child.awaitEnd(Orders.DEADLY);
            }
        }
        DurableTrial.inMemory()
                .withPropertyValues(url, heartbeat)
                .withBean(Orders.class, () -> new Orders(journal))
                .run(context -> {
                    await().until(() -> DurableTrial.stored(context) == 0);

                    assertThat(journal.lines(Event.ATTEMPT))
                            .extracting(Line::process, Line::attempt)
                            .containsExactly(tuple("PLACES_DEADLY", 1), tuple("PLACES_DEADLY", 2), tuple("WAITS", 3));
                    DeadLetter letter = DurableTrial.deadLetters(context).get(0);
                    assertThat(letter.reason()).isEqualTo(StopReason.EXHAUSTED);
                    assertThat(letter.attempts()).isEqualTo(3);
                    assertThat(letter.errorType()).isEqualTo(LeaseExpiredException.class.getName());
                });
    }

    @Test
    void aResendOfACallThatIsNotDurableSurvivesItsProcess() throws Exception {
        String[] store = {
            "retryon.durable.store=embedded",
            "retryon.durable.path=" + folder.resolve("calls.db"),
            "retryon.durable.heartbeat-interval=250ms"
        };
        Journal journal = new Journal(journal(), LAST);
        List<String> properties = new ArrayList<>(List.of("trial.journal=" + journal(), "trial.work=" + Work.RESENDS));
        properties.addAll(List.of(store));
        try (ChildProcess child = ChildProcess.start(folder, "killed", properties)) {
            // Two attempts of the caller, and one of the resend.
            await().atMost(Duration.ofMinutes(2)).until(() -> {
                assertThat(child.isAlive()).as(child.output()).isTrue();
                return journal.lines(Event.ATTEMPT).size() == 3;
            });
            child.killAfter(0);
        }

        DurableTrial.application()
                .withPropertyValues(store)
                .withBean(Orders.class, () -> new Orders(journal))
                .run(context -> {
                    await().until(() -> DurableTrial.deadLetters(context).get(0).state() == State.RESOLVED);

                    assertThat(DurableTrial.stored(context)).isZero();
                    assertThat(journal.lines(Event.EFFECT))
                            .extracting(Line::process, Line::attempt)
                            .containsExactly(tuple(LAST, 2));
                });
    }

    @Test
    void aBulkTaskSurvivesItsProcess() throws Exception {
        continueTask(
                DurableTrial.application(),
                "retryon.durable.store=embedded",
                "retryon.durable.path=" + folder.resolve("calls.db"));
    }

    @ParameterizedTest
    @EnumSource
    @Tag("endurance")
    void aBulkTaskSurvivesItsProcess(TestServer server) throws Exception {
        continueTask(
                DurableTrial.inMemory(),
                "spring.datasource.url=" + server.database(),
                "retryon.jdbc.initialize-schema=always");
    }

    private void continueTask(ApplicationContextRunner application, String... store) throws Exception {
        Journal journal = new Journal(journal(), LAST);
        List<String> properties = properties("trial.work=" + Work.RESENDS_MANY);
        properties.addAll(List.of(store));
        try (ChildProcess child = ChildProcess.start(folder, "killed", properties)) {
            // Two attempts of each caller, and one of a resend.
            await().atMost(Duration.ofMinutes(2)).until(() -> {
                assertThat(child.isAlive()).as(child.output()).isTrue();
                return journal.lines(Event.ATTEMPT).size() > 2 * KilledApplication.LETTERS;
            });
            child.killAfter(0);
        }

        application
                .withPropertyValues(store)
                .withPropertyValues("retryon.durable.heartbeat-interval=1s")
                .withBean(Orders.class, () -> new Orders(journal))
                .run(context -> {
                    StoredCalls calls = context.getBean(StoredCalls.class);
                    assertThat(calls.task().orElseThrow().moved()).isLessThan(KilledApplication.LETTERS);
                    await().atMost(Duration.ofMinutes(2))
                            .until(() -> calls.task().orElseThrow().state() == StoredCalls.Task.State.DONE);

                    assertThat(calls.task().orElseThrow().moved()).isEqualTo(KilledApplication.LETTERS);
                    assertThat(journal.lines(Event.EFFECT))
                            .hasSize(KilledApplication.LETTERS)
                            .allMatch(line -> line.process().equals(LAST))
                            .extracting(Line::order)
                            .doesNotHaveDuplicates();
                });
    }

    private void killAll(List<String> properties) {
        random.setSeed(seed);
        killAll("process", kills, properties);
    }

    private void killAll(String process, int count, List<String> properties) {
        Journal journal = new Journal(journal(), LAST);
        for (int kill = 1; kill <= count; kill++) {
            String name = process + kill;
            try (ChildProcess child = ChildProcess.start(folder, name, properties)) {
                await().atMost(Duration.ofMinutes(2)).until(() -> {
                    assertThat(child.isAlive()).as(child.output()).isTrue();
                    return journal.lines().stream()
                            .anyMatch(line -> line.process().equals(name)
                                    && (line.event() == Event.COMMITTED || line.event() == Event.ACCEPTED));
                });
                child.killAfter(random.nextInt(1000));
            } catch (Exception ex) {
                throw new IllegalStateException(ex);
            }
        }
    }

    /** The process that is not killed makes what the others have left. */
    private void last(ApplicationContextRunner application) {
        Journal journal = new Journal(journal(), LAST);
        application
                .withPropertyValues("retryon.durable.heartbeat-interval=1s", "retryon.defaults.delay=20ms")
                .withBean(Orders.class, () -> new Orders(journal))
                .run(context -> {
                    await().atMost(Duration.ofMinutes(2)).until(() -> DurableTrial.stored(context) == 0);
                    check(context, journal);
                });
    }

    private void check(ApplicationContext context, Journal journal) {
        List<Line> effects = journal.lines(Event.EFFECT);
        Set<String> done = orders(effects);
        Set<String> dead = DurableTrial.deadLetters(context).stream()
                .map(DeadLetter::arguments)
                .map(arguments -> arguments.replaceAll(".*:\"|\"}", ""))
                .collect(toSet());
        Set<String> accepted =
                orders(Stream.concat(journal.lines(Event.ACCEPTED).stream(), journal.lines(Event.COMMITTED).stream())
                        .toList());
        Set<String> rolledBack = orders(journal.lines(Event.ROLLED_BACK));
        Map<String, List<Line>> again = effects.stream().collect(groupingBy(Line::callId));
        again.values().removeIf(each -> each.size() == 1);
        System.out.printf(
                "%d kills (seed %d): %d calls accepted, %d rolled back, %d attempts, %d effects, %d dead letters,"
                        + " %d effects made again%n",
                kills,
                seed,
                accepted.size(),
                rolledBack.size(),
                journal.lines(Event.ATTEMPT).size(),
                effects.size(),
                dead.size(),
                again.size());

        assertThat(accepted)
                .isNotEmpty()
                .allSatisfy(order -> assertThat(done.contains(order) || dead.contains(order))
                        .as(order)
                        .isTrue());
        assertThat(rolledBack).noneMatch(order -> done.contains(order) || dead.contains(order));
        assertThat(orders(journal.lines(Event.ATTEMPT))).noneMatch(rolledBack::contains);
        // An effect is made again only where a process was killed before it could record the one before.
        assertThat(again.values()).allSatisfy(each -> {
            assertThat(each).extracting(Line::process).doesNotHaveDuplicates();
            assertThat(each.subList(0, each.size() - 1))
                    .extracting(Line::process)
                    .doesNotContain(LAST);
        });
        assertThat(again).hasSizeLessThanOrEqualTo(kills * THREADS);
        // So is a call dead that has had an effect.
        assertThat(effects.stream().filter(line -> dead.contains(line.order())))
                .extracting(Line::process)
                .doesNotContain(LAST);
        assertThat(dead).filteredOn(order -> !Orders.dies(order)).hasSizeLessThanOrEqualTo(kills * THREADS);
        // An attempt whose end nobody knows has failed: none is made twice.
        assertThat(journal.lines(Event.ATTEMPT).stream().map(line -> line.callId() + " " + line.attempt()))
                .doesNotHaveDuplicates();
    }

    private static Set<String> orders(List<Line> lines) {
        return lines.stream().map(Line::order).collect(toSet());
    }
}
