// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.durable.internal.store.RetryStore;
import dev.retryon.spring.module.NodeName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Table {@value RetryStore#NODES}: the processes of an application that share a store. A row expires unless it is renewed.
 * All times are by the database's clock, because the clocks of processes can differ.
 */
final class NodeTable {

    /** The time limit of a statement in seconds, because a hung database must not end the announcements. */
    private static final int TIMEOUT = 10;

    /** The time after which expired rows are deleted. Until then, operators see which process has ended unexpectedly. */
    private static final Duration KEPT = Duration.ofDays(1);

    private static final String MINE = RetryStore.NODES + " where application = :application";

    private final RetryStore store;

    /** The database's current time in milliseconds. */
    private final String now;

    NodeTable(RetryStore store) {
        this.store = store;
        this.now = store.database().now();
    }

    /**
     * Adds or renews a process's row, with the methods that it can run and the threads of its lanes. The times are those
     * since the process started, and for which the row is valid.
     */
    void announce(DurableCalls node, Set<String> methods, Duration running, Duration valid) {
        List<String> lanes = node.pools().stream().map(NodeTable::line).toList();
        Map<String, Object> row = Map.of(
                "id", node.nodeId(),
                "methods", RetryStore.storable(String.join("\n", methods)),
                "lanes", RetryStore.storable(String.join("\n", lanes)),
                "valid", valid.toMillis());
        store.write(() -> {
            int renewed = sql("update " + RetryStore.NODES + " set methods = :methods, lanes = :lanes, seen_at = " + now
                            + ", expires_at = " + now + " + :valid where application = :application and id = :id")
                    .params(row)
                    .update();
            // The row is missing at first, and after another process has deleted it.
            return renewed > 0
                    ? renewed
                    : sql("insert into " + RetryStore.NODES
                                    + " (application, id, name, version, methods, lanes, started_at, seen_at, expires_at)"
                                    + " values (:application, :id, :name, :version, :methods, :lanes, " + now
                                    + " - :running, " + now + ", " + now + " + :valid)")
                            .params(row)
                            .param("name", RetryStore.storable(NodeName.get(), RetryStore.LONGEST_NAME))
                            .param(
                                    "version",
                                    RetryStore.storable(node.settings().shownVersion(), RetryStore.LONGEST_NAME))
                            .param("running", running.toMillis())
                            .update();
        });
    }

    void delete(String id) {
        store.writeSingle(() ->
                sql("delete from " + MINE + " and id = :id").param("id", id).update());
    }

    /** Deletes the rows of processes that ended unexpectedly a while ago. */
    void deleteOld() {
        store.writeSingle(() -> sql("delete from " + MINE + " and expires_at < " + now + " - :kept")
                .param("kept", KEPT.toMillis())
                .update());
    }

    /**
     * Returns the methods that living processes have announced.
     *
     * @param except the id of a process to omit; empty for none
     * @throws RuntimeException if the store cannot be read
     */
    Stream<String> announced(String except) {
        return sql("select methods from " + MINE + " and id <> :id and expires_at >= " + now)
                .param("id", except)
                .query(String.class)
                .list()
                .stream()
                .flatMap(String::lines);
    }

    /** Returns all processes: living ones by name, and then the others, with the most recently seen process first. */
    List<DurableCalls.Node> all(String thisId) {
        return sql("select id, name, version, lanes, started_at, seen_at, case when expires_at >= " + now
                        + " then 1 else 0 end as alive from " + MINE)
                .query((row, number) -> node(row, thisId))
                .list()
                .stream()
                .sorted(Comparator.comparing((DurableCalls.Node node) -> !node.alive())
                        .thenComparing(node -> node.alive() ? Instant.MAX : node.lastSeen(), Comparator.reverseOrder())
                        .thenComparing(DurableCalls.Node::node))
                .toList();
    }

    private static DurableCalls.Node node(ResultSet row, String thisId) throws SQLException {
        List<DurableCalls.Pool> pools =
                row.getString("lanes").lines().map(NodeTable::pool).toList();
        String version = row.getString("version");
        return new DurableCalls.Node(
                row.getString("name"),
                version == null || version.isEmpty() ? null : version,
                row.getString("id").equals(thisId),
                row.getInt("alive") == 1,
                pools.stream().mapToInt(DurableCalls.Pool::threads).sum(),
                pools.stream().mapToInt(DurableCalls.Pool::busy).sum(),
                pools,
                Instant.ofEpochMilli(row.getLong("started_at")),
                Instant.ofEpochMilli(row.getLong("seen_at")));
    }

    /** Returns a lane's threads as the table stores them, such as {@code 1/4 mail}. */
    private static String line(DurableCalls.Pool pool) {
        return pool.busy() + "/" + pool.threads() + " " + pool.lane();
    }

    private static DurableCalls.Pool pool(String line) {
        String[] parts = line.split("[/ ]", 3);
        return new DurableCalls.Pool(parts[2], Integer.parseInt(parts[1]), Integer.parseInt(parts[0]));
    }

    private JdbcClient.StatementSpec sql(String sql) {
        return store.jdbc().sql(sql).withQueryTimeout(TIMEOUT).param("application", store.application());
    }
}
