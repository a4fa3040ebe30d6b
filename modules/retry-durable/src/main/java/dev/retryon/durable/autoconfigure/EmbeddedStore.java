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

/** Opens the separate file, a SQLite database. After a crash, it has every write that was reported as done. */
final class EmbeddedStore {

    /** An ordinary refusal of what is written. */
    private static final int SQLITE_CONSTRAINT = 19;

    private EmbeddedStore() {}

    static HikariDataSource open(String path) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("retryon");
        // The driver manager may have looked for drivers before this class loader was there.
        config.setDriverClassName("org.sqlite.JDBC");
        config.setJdbcUrl("jdbc:sqlite:" + file(path));
        // One writer at a time is all that SQLite has: threads wait for the connection, and none meets a lock.
        config.setMaximumPoolSize(1);
        config.addDataSourceProperty("journal_mode", "WAL");
        // In this mode a write is safe when the process ends, though the latest may be lost with the power.
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
                    Place.property("retryon.durable.path"),
                    "is '" + path + "', but must be a file that can be written: " + ex)));
        }
    }

    /** Arguments of calls are for no other user. SQLite gives the files beside this one the same rights. */
    private static void createForOwner(Path file) throws IOException {
        if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return;
        }
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (FileAlreadyExistsException ex) {
            return; // with the rights that it was given
        }
    }

    /**
     * Opens the file again after an error. A transaction that can't begin, or that SQLite has rolled back by itself,
     * leaves the driver's connection in one that isn't there: no commit succeeds on it any more, although the file is
     * well again.
     */
    private static final class Reopening implements SQLExceptionOverride {

        @java.lang.Override
        public Override adjudicate(SQLException error) {
            return error.getErrorCode() == SQLITE_CONSTRAINT ? Override.CONTINUE_EVICT : Override.MUST_EVICT;
        }
    }
}
