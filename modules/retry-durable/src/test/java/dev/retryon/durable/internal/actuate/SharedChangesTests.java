// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.JsonPath;
import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.internal.store.TestMariaDb;
import dev.retryon.durable.internal.store.TestMySql;
import dev.retryon.durable.internal.store.TestPostgres;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Settings that an operator changes for all nodes, over HTTP, with two applications on one database. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("database")
class SharedChangesTests {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Executor threads = new SimpleAsyncTaskExecutor("operator-");

    /** Two nodes for all tests that leave them as they were: starting them takes most of the time. */
    private static @Nullable Pair pair;

    private final List<SharedNode> nodes = new ArrayList<>();

    @TempDir
    private Path folder;

    private String url = "";

    private record Pair(String url, SharedNode here, SharedNode there) {

        void clean() {
            here.delete("/Shop.buy");
            there.delete("/Shop.buy");
            new JdbcTemplate(new DriverManagerDataSource(url)).update("delete from retryon_change");
            await().atMost(LIMIT)
                    .until(() -> here.changes().isEmpty() && there.changes().isEmpty());
        }
    }

    /** A node on another database, with a short {@code max-delay}. */
    private static @Nullable Narrow narrow;

    private record Narrow(String url, SharedNode here) {}

    @AfterAll
    static void stopSharedNodes() {
        if (pair != null) {
            pair.here().close();
            pair.there().close();
            pair = null;
        }
        if (narrow != null) {
            narrow.here().close();
            narrow = null;
        }
    }

    @AfterEach
    void stop() {
        nodes.forEach(SharedNode::close);
        if (pair != null && url.equals(pair.url())) {
            pair.clean();
        }
    }

    private Pair pair() {
        if (pair == null) {
            String made = TestPostgres.database();
            String calm = "retryon.policies.calm.max-attempts=2";
            pair = new Pair(made, SharedNode.on(made, calm), SharedNode.on(made, calm));
        }
        url = pair.url();
        return pair;
    }

    private SharedNode narrow() {
        if (narrow == null) {
            String made = TestPostgres.database();
            narrow = new Narrow(made, SharedNode.on(made, "retryon.defaults.max-delay=1s"));
        }
        url = narrow.url();
        return narrow.here();
    }

    private SharedNode start(String... properties) {
        if (url.isEmpty()) {
            url = TestPostgres.database();
        }
        SharedNode node = SharedNode.on(url, properties);
        nodes.add(node);
        return node;
    }

    private JdbcTemplate jdbc() {
        return new JdbcTemplate(new DriverManagerDataSource(url));
    }

    private static void awaitAttempts(SharedNode node, int attempts) {
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(node.attemptsOfBuy()).isEqualTo(attempts));
    }

    @Test
    void everyNodeFollows() {
        everyNodeFollows(pair().here(), pair().there());
    }

    private enum Product {
        MARIADB,
        MYSQL,
        H2,
        SQLITE
    }

    @ParameterizedTest
    @Tag("endurance")
    @EnumSource(Product.class)
    void everyNodeFollowsOnOtherDatabases(Product product) {
        url = switch (product) {
            case MARIADB -> TestMariaDb.database();
            case MYSQL -> TestMySql.database();
            case H2 -> "jdbc:h2:mem:shared" + System.nanoTime() + ";DB_CLOSE_DELAY=-1";
            case SQLITE -> "jdbc:sqlite:" + folder.resolve("shared.db") + "?journal_mode=WAL&busy_timeout=10000";
        };
        everyNodeFollows(start(), start());
    }

    private static void everyNodeFollows(SharedNode here, SharedNode there) {
        assertThat(JsonPath.<List<String>>read(here.get(""), "$.scopes")).containsExactly("node", "all");

        String changed = here.post(
                "/Shop.buy",
                "{\"maxAttempts\": 2, \"jitter\": \"full\", \"delay\": \"1ms\", \"multiplier\": 3,"
                        + " \"durable.whenFailed\": \"delete\", \"scope\": \"all\"}");

        assertThat(JsonPath.<String>read(changed, "$.scope")).isEqualTo("all");
        assertThat(here.attemptsOfBuy()).isEqualTo(2);
        awaitAttempts(there, 2);
        assertThat(JsonPath.<Object>read(there.get(""), "$.changes[0]")).isEqualTo(JsonPath.<Object>read(changed, "$"));
        assertThat(JsonPath.<String>read(there.get("/Shop.buy"), "$.methods[0].settings.maxAttempts.sources[0]"))
                .startsWith("operator for all nodes since ")
                .endsWith(" by operator");

        there.post("/Shop.buy", "{\"maxAttempts\": null, \"scope\": \"all\"}");
        awaitAttempts(here, 3);
        assertThat(JsonPath.<String>read(here.get("/Shop.buy"), "$.methods[0].settings.jitter.value"))
                .isEqualTo("full");

        assertThat(there.delete("/Shop.buy?scope=all").getStatusCode().value()).isEqualTo(204);
        await().atMost(LIMIT).until(() -> here.changes().isEmpty());
        assertThat(here.descriptions())
                .contains("Shop.buy: changes reverted for all nodes by operator")
                .anyMatch(text -> text.startsWith("Shop.buy: changed for all nodes by operator to maxAttempts=2"));
    }

    @Test
    void budgetsPoliciesAndEverythingAreChangedForAllNodes() {
        SharedNode here = pair().here();
        SharedNode there = pair().there();

        here.post("", "{\"retryable\": false, \"scope\": \"all\"}");
        here.post("/budgets/shop", "{\"retryable\": false, \"scope\": \"all\"}");
        here.post("/policies/calm", "{\"retryable\": false, \"scope\": \"all\"}");

        await().atMost(LIMIT).until(() -> there.changes().size() == 3);
        assertThat(there.changes()).isEqualTo(here.changes());
        awaitAttempts(there, 1);
        here.delete("/budgets/shop?scope=all");
        here.delete("?scope=all");
        awaitAttempts(there, 3);
    }

    @Test
    void aNodeThatStartsLaterTakesItOverBeforeItsFirstCall() {
        SharedNode here = pair().here();
        here.post("", "{\"maxAttempts\": 1, \"scope\": \"all\"}");

        SharedNode later = start("retryon.jdbc.shared-settings.poll-interval=1h");

        assertThat(later.attemptsOfFirstCall()).isEqualTo(1);
    }

    @Test
    void itEndsAtOneTimeForAllNodes() {
        SharedNode here = pair().here();
        SharedNode there = pair().there();

        String changed = here.post("/Shop.buy", "{\"maxAttempts\": 1, \"for\": \"1s\", \"scope\": \"all\"}");

        Instant until = Instant.parse(JsonPath.<String>read(changed, "$.until"));
        await().atMost(LIMIT)
                .until(() -> !there.changes().isEmpty() || !Instant.now().isBefore(until));
        awaitAttempts(here, 3);
        awaitAttempts(there, 3);
        assertThat(Instant.now()).isAfterOrEqualTo(until);
        assertThat(start().attemptsOfBuy()).isEqualTo(3);
        assertThat(here.delete("/Shop.buy?scope=all").getStatusCode().value()).isEqualTo(404);
    }

    @Test
    void theLaterOfALocalAndASharedChangeWins() {
        SharedNode here = pair().here();
        SharedNode there = pair().there();

        there.post("/Shop.buy", "{\"maxAttempts\": 4, \"timeout\": \"1m\"}");
        here.post("/Shop.buy", "{\"maxAttempts\": 2, \"scope\": \"all\"}");
        awaitAttempts(there, 2);
        assertThat(JsonPath.<String>read(there.get("/Shop.buy"), "$.methods[0].settings.timeout.value"))
                .isEqualTo("1m");
        there.post("/Shop.buy", "{\"maxAttempts\": 5, \"scope\": \"node\"}");
        assertThat(there.attemptsOfBuy()).isEqualTo(5);
        assertThat(here.attemptsOfBuy()).isEqualTo(2);

        assertThat(here.text(here.delete("/Shop.buy"))).contains("applies to all nodes; use scope=all");
        there.delete("/Shop.buy");
        assertThat(there.attemptsOfBuy()).isEqualTo(2);
    }

    @Test
    void changesOfTwoOperatorsAtOnceAreBothKept() throws Exception {
        SharedNode here = pair().here();
        SharedNode there = pair().there();
        List<CompletableFuture<?>> sent = new ArrayList<>();
        List<String> settings = List.of(
                "\"maxAttempts\": 2",
                "\"delay\": \"1ms\"",
                "\"timeout\": \"1m\"",
                "\"jitter\": \"none\"",
                "\"maxDelay\": \"1m\"",
                "\"attemptTimeout\": \"30s\"");

        for (int i = 0; i < settings.size(); i++) {
            SharedNode node = i % 2 == 0 ? here : there;
            String body = "{" + settings.get(i) + ", \"scope\": \"all\"}";
            sent.add(CompletableFuture.runAsync(() -> node.post("/Shop.buy", body), threads));
        }
        CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);

        for (SharedNode node : List.of(here, there)) {
            await().atMost(LIMIT)
                    .untilAsserted(
                            () -> assertThat(JsonPath.<Map<String, String>>read(node.get(""), "$.changes[0].settings"))
                                    .hasSize(settings.size()));
        }
        assertThat(here.changes()).isEqualTo(there.changes());
    }

    @Test
    void whileTheDatabaseIsAwayNodesKeepWhatTheyKnow(CapturedOutput output) {
        SharedNode here = start();
        SharedNode there = start();
        here.post("/Shop.buy", "{\"maxAttempts\": 2, \"scope\": \"all\"}");
        awaitAttempts(there, 2);
        String name = url.replaceAll(".*/([^/?]+)\\?.*", "$1");
        JdbcTemplate server =
                new JdbcTemplate(new DriverManagerDataSource(url.replace("/" + name + "?", "/postgres?")));
        server.execute("alter database " + name + " with allow_connections false");
        server.queryForList("select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + name + "'");

        await().atMost(LIMIT).untilAsserted(() -> assertThat(nodes).allMatch(node -> node.storeFaults() == 1));
        assertThat(here.send("/Shop.buy", "{\"maxAttempts\": 1, \"scope\": \"all\"}")
                        .getStatusCode()
                        .value())
                .isEqualTo(503);
        assertThat(here.text(here.delete("/Shop.buy?scope=all")))
                .contains("the store that all nodes share did not respond");
        assertThat(here.attemptsOfBuy()).isEqualTo(2);
        assertThat(there.attemptsOfBuy()).isEqualTo(2);
        there.post("/Shop.buy", "{\"maxAttempts\": 1}");
        assertThat(there.attemptsOfBuy()).isEqualTo(1);
        there.delete("/Shop.buy");

        server.execute("alter database " + name + " with allow_connections true");
        await().atMost(LIMIT).until(() -> output.getOut().split("for all nodes can be read again", -1).length == 3);
        here.post("/Shop.buy", "{\"maxAttempts\": 1, \"scope\": \"all\"}");
        awaitAttempts(there, 1);
        assertThat(output.getOut().split("for all nodes could not be read; this node continues", -1))
                .hasSize(3);
        assertThat(output).containsPattern("tries again every \\d+m?s\\b");
        assertThat(nodes).allMatch(node -> node.storeFaults() == 1);
    }

    @Test
    void whatANodeCannotFollowIsSaidOnceAndDoesNotStopTheRest(CapturedOutput output) {
        SharedNode here = pair().here();
        long before = here.configurationFaults();
        insert("name", "Shop.by", "{\"maxAttempts\":\"1\"}", null);
        insert("name", "Shop.buy", "{\"maxAttempts\":2}", null);

        awaitAttempts(here, 2);
        insert("all", "", "{\"delay\":\"2ms\"}", null);
        await().atMost(LIMIT).until(() -> here.changes().size() == 2);

        assertThat(output.getOut().lines().filter(line -> line.contains("WARN") && line.contains("'Shop.by'")))
                .hasSize(2);
        assertThat(here.configurationFaults()).isEqualTo(before + 1);
    }

    /** A change whose time is over can't end while what would be left contradicts itself; it ends as soon as it can. */
    @Test
    void whatWouldContradictIsNotTakenBackButEndsInTheEnd(CapturedOutput output) {
        SharedNode here = narrow();
        here.post("", "{\"maxDelay\": \"10m\", \"for\": \"3s\", \"scope\": \"all\"}");
        here.post("/Shop.buy", "{\"delay\": \"5m\"}");

        ResponseEntity<byte[]> refused = here.delete("?scope=all");
        assertThat(refused.getStatusCode().value()).isEqualTo(400);
        assertThat(here.text(refused)).contains("maxDelay");
        assertThat(here.changes()).hasSize(2);

        await().atMost(LIMIT).untilAsserted(() -> assertThat(output).contains("has expired, but cannot be reverted"));
        assertThat(here.delete("/Shop.buy").getStatusCode().value()).isEqualTo(204);
        await().atMost(LIMIT).until(() -> here.changes().isEmpty());
    }

    @Test
    void aRowThatIsGoneAndCannotEndHoldsNothingElseUp(CapturedOutput output) {
        SharedNode here = narrow();
        long before = here.configurationFaults();
        here.post("", "{\"maxDelay\": \"10m\", \"scope\": \"all\"}");
        here.post("/Shop.buy", "{\"maxAttempts\": 2, \"scope\": \"all\"}");
        here.post("/Shop.buy", "{\"delay\": \"5m\"}");

        jdbc().update("delete from retryon_change");

        await().atMost(LIMIT).until(() -> here.changes().size() == 2);
        await().atMost(LIMIT).until(() -> here.configurationFaults() == before + 1);
        assertThat(output).contains("still applies on this node");
        assertThat(here.storeFaults()).isZero();
        here.delete("/Shop.buy");
        await().atMost(LIMIT).until(() -> here.changes().isEmpty());
    }

    private void insert(String kind, String name, String settings, Long endsAt) {
        jdbc().update(
                        "insert into retryon_change (kind, name, settings, changed_at, changed_by, ends_at, version)"
                                + " values (?, ?, ?, 1000, 'by\nhand', ?, 1)",
                        kind,
                        name,
                        settings,
                        endsAt);
    }

    @Test
    void rowsThatWereEditedByHandHarmNothing(CapturedOutput output) {
        SharedNode here = pair().here();
        long before = here.configurationFaults();
        here.post("/Shop.buy", "{\"maxAttempts\": 2, \"scope\": \"all\"}");
        insert("name", "a", "maxAttempts=1", null);
        insert("name", "b", "[1, 2]", null);
        insert("name", "c", "{\"maxAttempts\": {\"a\": 1}}", null);
        insert("name", "d", "{\"maxAttempts\": -1}", null);
        insert("name", "e", "{\"exceptions\": \"x\"}", null);
        insert("name", "f", "{\"delay\": \"" + "1".repeat(1_000_000) + "\"}", null);
        insert("name", "g", "{\"delay\": \"1s\"}", Long.MAX_VALUE);
        insert("other", "h\u001b[31m\ninjected", "{\"delay\": \"1s\"}", null);
        insert("name", "i", "{}", null);
        insert("name", "j", "{\"delay\": null}", null);
        insert("all", "", "{\"onlyIf\": \"T(java.lang.System).setProperty('owned', 'yes') == null\"}", null);

        await().atMost(LIMIT).until(() -> here.configurationFaults() == before + 10);

        assertThat(here.attemptsOfBuy()).isEqualTo(2);
        assertThat(here.changes()).hasSize(1);
        assertThat(System.getProperty("owned")).isNull();
        assertThat(output)
                .contains("'onlyIf' cannot be changed for all nodes")
                .contains("settings are not a flat JSON object")
                .doesNotContain("\ninjected");
        jdbc().update("update retryon_change set settings = 'nonsense' where name = 'Shop.buy'");
        await().atMost(LIMIT).until(() -> here.configurationFaults() == before + 11);
        assertThat(here.attemptsOfBuy()).isEqualTo(2);
        assertThat(here.text(here.send("/Shop.buy", "{\"maxAttempts\": 1, \"scope\": \"all\"}")))
                .contains("cannot be read on this node")
                .contains("remove it first: DELETE with scope=all");
        assertThat(here.delete("/Shop.buy?scope=all").getStatusCode().value()).isEqualTo(204);
        assertThat(here.attemptsOfBuy()).isEqualTo(3);

        here.post("/Shop.buy", "{\"maxAttempts\": 2, \"scope\": \"all\"}");
        jdbc().update("delete from retryon_change");
        awaitAttempts(here, 3);
    }

    @Test
    void whatIsWrongIsSaidAndNothingIsStored() {
        SharedNode here = pair().here();

        here.refused("/Shop.buy", "{\"maxAttempts\": -1, \"scope\": \"all\"}", "maxAttempts is '-1', but must be");
        here.refused("/Shop.buy", "{\"onlyIf\": \"#nope\", \"scope\": \"all\"}", "names the unknown variable #nope");
        here.refused("/Shop.buy", "{\"onlyIf\": \"true\", \"scope\": \"all\"}", "change it on each node");
        here.refused("/Shop.by", "{\"maxAttempts\": 1, \"scope\": \"all\"}", "no retry is named 'Shop.by'");
        here.refused("/Shop.buy", "{\"maxAttempts\": 1, \"scope\": \"every\"}", "scope is 'every', but must be 'node'");
        here.refused("/Shop.buy", "{\"maxAttempts\": 1, \"scope\": null}", "scope is 'null', but must be 'node'");
        here.refused("/Shop.buy", "{\"scope\": \"all\"}", "the request contains no setting");
        here.refused("/Shop.buy", "{\"maxAttempts\": 1, \"for\": \"0s\", \"scope\": \"all\"}", "for is '0s'");
        assertThat(here.text(here.delete("/Shop.buy?maxAttempts=1"))).contains("DELETE reverts all");
        assertThat(here.delete("/Shop.buy?scope=all").getStatusCode().value()).isEqualTo(404);

        assertThat(jdbc().queryForObject("select count(*) from retryon_change", Long.class))
                .isZero();
    }

    @Test
    void withoutASharedStoreItIsRefusedAndNothingIsCreated() {
        SharedNode here = start("retryon.jdbc.shared-settings.enabled=");

        assertThat(JsonPath.<List<String>>read(here.get(""), "$.scopes")).containsExactly("node");
        here.refused(
                "",
                "{\"retryable\": false, \"scope\": \"all\"}",
                "scope is 'all', but this application stores no calls in a database; set"
                        + " retryon.jdbc.shared-settings.enabled=true to share changes through its DataSource");
        assertThat(here.attemptsOfBuy()).isEqualTo(3);
        assertThat(jdbc().queryForObject(
                                "select count(*) from information_schema.tables where table_name like 'retryon%'",
                                Long.class))
                .isZero();
        SharedNode off = start("retryon.jdbc.shared-settings.enabled=false");
        off.refused(
                "", "{\"retryable\": false, \"scope\": \"all\"}", "retryon.jdbc.shared-settings.enabled is 'false'");
    }

    @Test
    void whereAMethodKeepsItsCallsItIsShared() {
        SharedNode here = start(
                "retryon.jdbc.shared-settings.enabled=",
                "retryon.methods[dev.retryon.durable.internal.actuate.SharedNode$Shop#buy].durable.mode=on-exhaustion");

        here.post("", "{\"maxAttempts\": 1, \"scope\": \"all\"}");

        assertThat(start().attemptsOfBuy()).isEqualTo(1);
        assertThat(here.errors().count(ExtensionErrorListener.Kind.STORE, ExtensionErrorListener.ANY))
                .isZero();
    }
}
