// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.durable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.slf4j.LoggerFactory;
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
            return new Opened(properties(server), server);
        }
    };

    /** The properties of the application, and what is closed after it. */
    record Opened(Map<String, Object> properties, AutoCloseable resource) implements AutoCloseable {

        @Override
        public void close() throws Exception {
            resource.close();
        }
    }

    abstract Opened open() throws IOException;

    /** The properties with which the application uses a server. */
    static Map<String, Object> properties(EmbeddedPostgres server) {
        return Map.of(
                "spring.datasource.url",
                server.getJdbcUrl("postgres", "postgres"),
                "retryon.jdbc.initialize-schema",
                "always");
    }
}
