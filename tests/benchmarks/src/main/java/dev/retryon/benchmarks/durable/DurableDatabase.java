// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.durable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.util.FileSystemUtils;

/** Where calls are stored. */
public enum DurableDatabase {
    /** RetryOn's embedded store. */
    SQLITE {
        @Override
        Opened open() throws IOException {
            Path folder = Files.createTempDirectory("retryon-benchmarks");
            Map<String, Object> properties = Map.of(
                    "retryon.durable.store",
                    "embedded",
                    "retryon.durable.path",
                    folder + File.separator + "calls.db",
                    "spring.autoconfigure.exclude",
                    "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");
            return new Opened(properties, () -> FileSystemUtils.deleteRecursively(folder));
        }
    },

    /** A server of its own, with Boot's pool. */
    POSTGRESQL {
        @Override
        Opened open() throws IOException {
            ((Logger) LoggerFactory.getLogger(EmbeddedPostgres.class.getPackageName())).setLevel(Level.WARN);
            EmbeddedPostgres server = EmbeddedPostgres.builder().start();
            return new Opened(properties(server.getJdbcUrl("postgres", "postgres")), server);
        }
    },

    /** The server at the URL in the variable {@code RETRYON_MARIADB}. */
    MARIADB {
        @Override
        Opened open() {
            return atUrl("sessionVariables=max_recursive_iterations=4294967295");
        }
    },

    /** The server at the URL in the variable {@code RETRYON_MYSQL}. */
    MYSQL {
        @Override
        Opened open() {
            return atUrl("sessionVariables=cte_max_recursion_depth=4294967295&sslMode=DISABLED");
        }
    };

    record Opened(Map<String, Object> properties, AutoCloseable resource) implements AutoCloseable {

        @Override
        public void close() throws Exception {
            resource.close();
        }
    }

    abstract Opened open() throws IOException;

    static Map<String, Object> properties(String url) {
        return Map.of("spring.datasource.url", url, "retryon.jdbc.initialize-schema", "always");
    }

    /** Creates a database on a running server, with further parameters of its URL. */
    Opened atUrl(String parameters) {
        String variable = "RETRYON_" + name();
        String url = System.getenv(variable);
        if (url == null) {
            throw new IllegalStateException("set the variable " + variable + " to the URL of a server, such as jdbc:"
                    + name().toLowerCase(Locale.ROOT) + "://localhost/?user=root");
        }
        String database = "benchmark" + ProcessHandle.current().pid();
        JdbcTemplate server = new JdbcTemplate(new DriverManagerDataSource(url));
        server.execute("create database " + database);
        return new Opened(
                properties(url.replaceFirst("(//[^/?]+)[^?]*\\??", "$1/" + database + "?") + "&" + parameters),
                () -> server.execute("drop database " + database));
    }
}
