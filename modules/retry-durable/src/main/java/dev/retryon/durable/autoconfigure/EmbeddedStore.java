// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import dev.retryon.spring.Place;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryFault;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.List;

/** Opens the separate file, a SQLite database. After a crash, the file contains every write that was reported as done. */
final class EmbeddedStore {

    /** An ordinary rejection of a write. */
    private static final int SQLITE_CONSTRAINT = 19;

    private EmbeddedStore() {}

    static HikariDataSource open(String path) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("retryon");
        // The driver manager might have looked for drivers before this class loader existed.
        config.setDriverClassName("org.sqlite.JDBC");
        config.setJdbcUrl("jdbc:sqlite:" + file(path));
        // SQLite supports only one writer at a time. Threads wait for the connection, so no thread encounters a lock.
        config.setMaximumPoolSize(1);
        config.addDataSourceProperty("journal_mode", "WAL");
        // In this mode, a write survives the end of the process, but the latest one can be lost in a power failure.
        config.addDataSourceProperty("synchronous", "NORMAL");
        config.addDataSourceProperty("transaction_mode", "IMMEDIATE");
        config.addDataSourceProperty("busy_timeout", "10000");
        config.setExceptionOverride(new Reopening());
        return new HikariDataSource(config);
    }

    private static Path file(String path) {
        try {
            Path file = Path.of(path).toAbsolutePath().normalize();
            Path folder = file.getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            createForOwner(file);
            return file;
        } catch (IOException | InvalidPathException ex) {
            throw new RetryConfigurationException(List.of(new RetryFault(
                    Place.property("retryon.durable.path"), "is '" + path + "', but must be a writable file: " + ex)));
        }
    }

    /**
     * Creates the file with rights for only its owner, because other users must not read the arguments of calls. SQLite
     * gives its additional files the same rights.
     */
    private static void createForOwner(Path file) throws IOException {
        if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return;
        }
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (FileAlreadyExistsException ex) {
            return; // with the file's existing rights
        }
    }

    /**
     * Opens the file again after an error. If a transaction cannot begin, or SQLite has rolled it back by itself, the
     * driver's connection remains in a transaction that does not exist. No commit on this connection succeeds any more,
     * although the file works again.
     */
    private static final class Reopening implements SQLExceptionOverride {

        @java.lang.Override
        public Override adjudicate(SQLException error) {
            return error.getErrorCode() == SQLITE_CONSTRAINT ? Override.CONTINUE_EVICT : Override.MUST_EVICT;
        }
    }
}
