// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.durable;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A PostgreSQL server that counts statements, bytes of its log and its CPU time. */
final class CountingServer implements AutoCloseable {

    /** The statement that leases due calls, as {@code pg_stat_statements} has it. */
    static final String LEASE = "with held as%";

    private final EmbeddedPostgres server;

    private final JdbcClient jdbc;

    private final long pid;

    private String start = "0/0";

    private Duration cpuAtStart = Duration.ZERO;

    CountingServer() throws IOException {
        server = EmbeddedPostgres.builder()
                .setServerConfig("shared_preload_libraries", "pg_stat_statements")
                .start();
        jdbc = JdbcClient.create(server.getPostgresDatabase());
        jdbc.sql("create extension pg_stat_statements").update();
        pid = Long.parseLong(text("select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)"));
    }

    /** The statistics of statements, with the total execution time and the pages that were read or found in the cache. */
    record Statements(double calls, double rows, double millis, double pages) {}

    JdbcClient jdbc() {
        return jdbc;
    }

    Connection connection() throws SQLException {
        return server.getPostgresDatabase().getConnection();
    }

    Map<String, Object> properties() {
        return DurableDatabase.properties(server.getJdbcUrl("postgres", "postgres"));
    }

    void reset() {
        jdbc.sql("select pg_stat_statements_reset()").query().singleRow();
        start = text("select pg_current_wal_lsn()::text");
        cpuAtStart = cpu();
    }

    Statements statements(String pattern) {
        return jdbc.sql("select coalesce(sum(calls), 0), coalesce(sum(rows), 0), coalesce(sum(total_exec_time), 0),"
                        + " coalesce(sum(shared_blks_hit + shared_blks_read), 0)"
                        + " from pg_stat_statements where query ilike ?")
                .param(pattern)
                .query((row, number) ->
                        new Statements(row.getDouble(1), row.getDouble(2), row.getDouble(3), row.getDouble(4)))
                .single();
    }

    double walBytes() {
        return number("select pg_wal_lsn_diff(pg_current_wal_lsn(), '" + start + "')::float8");
    }

    /** Returns the CPU time of all processes of the server since the reset. */
    double cpuMillis() {
        return cpu().minus(cpuAtStart).toNanos() / 1e6;
    }

    private Duration cpu() {
        return ProcessHandle.of(pid).stream()
                .flatMap(ProcessHandle::children)
                .map(child -> child.info().totalCpuDuration())
                .flatMap(Optional::stream)
                .reduce(Duration.ZERO, Duration::plus);
    }

    double number(String statement) {
        return jdbc.sql(statement).query(Double.class).single();
    }

    private String text(String statement) {
        return jdbc.sql(statement).query(String.class).single();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
