// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.RetryDataSource;
import dev.retryon.spring.Place;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetryWarning;
import dev.retryon.spring.module.StarterLog;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.ClassUtils;

/**
 * Selects the database that stores calls: the {@code DataSource} with {@link RetryDataSource}, or else the only one; or a
 * separate file if {@code retryon.durable.store} is {@code embedded}. The database is selected and the tables are checked on
 * first use, so an application that stores no calls needs no database and gets no tables. Thread-safe.
 */
public final class StoreChoice implements AutoCloseable {

    /** Without HikariCP, the class {@link OwnPool} cannot be loaded. */
    private static final boolean HAS_HIKARI =
            ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", StoreChoice.class.getClassLoader());

    private static final String PROPERTY = "retryon.durable.store";

    private final Candidates<DataSource> dataSources;

    private final Candidates<PlatformTransactionManager> transactionManagers;

    private final StoreSchema schema;

    private final Options options;

    private final ExtensionErrors errors;

    private final RetryFaults warnings;

    private @Nullable AutoCloseable ownPool;

    private volatile @Nullable RetryStore chosen;

    /** Beans of a type, and those of them with {@link RetryDataSource}. */
    public record Candidates<T>(ObjectProvider<T> marked, ObjectProvider<T> all) {}

    /**
     * Options of the writes. A test can keep calls in memory.
     *
     * @param ownConnections the number of connections in addition to those of the application's pool; 0 for none
     */
    public record Options(StoreMode mode, int ownConnections, Duration timeout, boolean isTest) {}

    public StoreChoice(
            Candidates<DataSource> dataSources,
            Candidates<PlatformTransactionManager> transactionManagers,
            StoreSchema schema,
            Options options,
            ExtensionErrors errors,
            RetryFaults warnings) {
        this.dataSources = dataSources;
        this.transactionManagers = transactionManagers;
        this.schema = schema;
        this.options = options;
        this.errors = errors;
        this.warnings = warnings;
    }

    /**
     * Returns the database with its tables.
     *
     * @throws RetryConfigurationException if no such database or more than one exists, or if tables are missing; the next
     *     call will look again
     * @throws org.springframework.dao.DataAccessException if the database cannot be reached
     */
    public RetryStore get() {
        RetryStore known = chosen;
        if (known != null) {
            return known;
        }
        // Not under the lock, because a thread that creates beans can wait for another one that needs the store.
        boolean own = options.mode() == StoreMode.EMBEDDED;
        DataSource dataSource = dataSource(own);
        CallerTransaction.Managers managers = CallerTransaction.Managers.of(transactionManagers);
        synchronized (this) {
            known = chosen;
            if (known == null) {
                known = choose(own, dataSource, managers);
                chosen = known;
            }
            return known;
        }
    }

    private RetryStore choose(boolean own, DataSource dataSource, CallerTransaction.Managers managers) {
        Database.Product product = Database.Product.of(dataSource);
        Database database;
        try {
            database = product.database();
        } catch (IllegalArgumentException ex) {
            throw fault("is '" + property() + "', but " + ex.getMessage());
        }
        RetryFault missing = schema.prepare(dataSource, database, own);
        if (missing != null) {
            throw new RetryConfigurationException(List.of(missing));
        }
        warn(product, database);
        RetryStore store = store(own, dataSource, product, database, managers);
        StarterLog.info("Calls are stored in " + database.product() + " at " + product.place()
                + (own ? " (a separate file)" : ""));
        return store;
    }

    private RetryStore store(
            boolean own,
            DataSource dataSource,
            Database.Product product,
            Database database,
            CallerTransaction.Managers managers) {
        // Another SQLite connection waits for the writing one, and another in-memory connection might find no tables.
        DataSource connections =
                database == Database.SQLITE || product.isPrivate() ? null : ownPool(dataSource, database);
        RetryStore.Ways ways = new RetryStore.Ways(
                connections,
                new CallerTransaction(dataSource, own, managers),
                this::warnOfSecondConnection,
                ex -> errors.report(
                        ExtensionErrorListener.Kind.CONFLICT,
                        ExtensionErrorListener.ANY,
                        "a write of the store failed because of a concurrent transaction; the write is repeated",
                        ex));
        return new RetryStore(dataSource, database, own, schema.settings().applicationKey(), ways, options.timeout());
    }

    private @Nullable DataSource ownPool(DataSource dataSource, Database database) {
        if (options.ownConnections() == 0 || !HAS_HIKARI) {
            return null;
        }
        OwnPool pool = OwnPool.of(dataSource, database, options.ownConnections(), options.timeout());
        ownPool = pool;
        return pool;
    }

    /** Closes the own pool. Later writes use the application's pool. */
    @Override
    public synchronized void close() throws Exception {
        if (ownPool != null) {
            ownPool.close();
        }
    }

    private String property() {
        return options.mode().name().toLowerCase(Locale.ROOT);
    }

    private void warnOfSecondConnection() {
        if (ownPool == null && options.ownConnections() > 0) {
            warnings.warn(
                    RetryWarning.SECOND_CONNECTION,
                    "A caller in a transaction has used a second connection of the application's pool to store a call or"
                            + " dead letter. If all connections are in use by such callers, none of them gets a second"
                            + " one, and their calls are lost. Allow more connections than threads that call durable"
                            + " methods, or make the pool a plain HikariDataSource, which RetryOn can copy");
        }
    }

    private static RetryConfigurationException fault(String problem) {
        return new RetryConfigurationException(List.of(new RetryFault(Place.property(PROPERTY), problem)));
    }

    private DataSource dataSource(boolean own) {
        List<DataSource> marked = dataSources.marked().stream().toList();
        if (marked.size() > 1) {
            throw fault("is '" + property() + "', but " + marked.size() + " DataSource beans have @RetryDataSource"
                    + names(dataSources.marked()) + (own ? ", including the file that 'embedded' creates" : "")
                    + "; keep the annotation on one of them");
        }
        if (marked.size() == 1) {
            return withoutTransactions(marked.get(0));
        }
        if (own) {
            throw fault(
                    "is 'embedded', but a dependency is missing; add org.xerial:sqlite-jdbc and com.zaxxer:HikariCP");
        }
        DataSource only = dataSources.all().getIfUnique();
        if (only != null) {
            return fixed(withoutTransactions(only));
        }
        long count = dataSources.all().stream().count();
        throw fault(
                count == 0
                        ? "is 'auto', but the application has no DataSource bean to store calls in; configure one, or"
                                + " set the property to 'embedded' to store them in a separate file"
                        : "is 'auto', but there are " + count
                                + " DataSource beans" + names(dataSources.all())
                                + "; annotate the one that stores calls with @RetryDataSource");
    }

    /** Rejects a data source that selects a database per thread, unless the user has marked it. */
    private DataSource fixed(DataSource dataSource) {
        String routing = routing(dataSource);
        if (routing != null) {
            throw fault("is '" + property() + "', but the DataSource bean is a " + routing
                    + ", which selects one of several databases per thread: calls might be stored where no worker"
                    + " reads them. Annotate a DataSource bean for one fixed database with @RetryDataSource, or this"
                    + " bean if all its targets hold the same data, such as a primary and its replicas");
        }
        return dataSource;
    }

    /** Returns the class of a data source that can write to several databases, one per thread, or otherwise {@code null}. */
    private static @Nullable String routing(DataSource dataSource) {
        AbstractRoutingDataSource routing;
        try {
            if (!dataSource.isWrapperFor(AbstractRoutingDataSource.class)) {
                return null;
            }
            routing = dataSource.unwrap(AbstractRoutingDataSource.class);
        } catch (SQLException ex) {
            return null; // it does not tell
        }
        Set<DataSource> writable = Collections.newSetFromMap(new IdentityHashMap<>());
        writable.addAll(routing.getResolvedDataSources().values());
        if (routing.getResolvedDefaultDataSource() != null) {
            writable.add(routing.getResolvedDefaultDataSource());
        }
        // Replicas have the data of their primary.
        writable.removeIf(target -> HAS_HIKARI && OwnPool.isReadOnly(target));
        return writable.size() > 1 ? ClassUtils.getUserClass(routing).getName() : null;
    }

    /** Returns the names of several beans, as far as the container reports them. */
    private static String names(ObjectProvider<DataSource> several) {
        try {
            var unused = several.getObject();
        } catch (NoUniqueBeanDefinitionException ex) {
            Collection<String> names = ex.getBeanNamesFound();
            if (names != null) {
                return " (" + String.join(", ", new TreeSet<>(names)) + ")";
            }
        }
        return "";
    }

    /** Returns the data source behind proxies, because transactions are found by its connections. */
    private static DataSource withoutTransactions(DataSource dataSource) {
        DataSource next = dataSource;
        while (next instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null) {
            next = proxy.getTargetDataSource();
        }
        return next;
    }

    private void warn(Database.Product product, Database database) {
        if (database == Database.MYSQL && product.isOlderThan(8, 4)) {
            warnings.warn(
                    RetryWarning.OLD_DATABASE,
                    "Calls are stored in MySQL " + product.version()
                            + ", an old version that is no longer supported. Use MySQL 8.4 or newer");
        }
        if (product.isInMemory()) {
            if (!options.isTest()) {
                warnings.warn(
                        RetryWarning.VOLATILE_STORE,
                        "Calls are stored in " + product.place()
                                + ", which is volatile, so they are lost when the process ends. Use a database that"
                                + " outlives the process, or retryon.durable.store=embedded");
            }
        } else if (database == Database.H2 && !product.url().startsWith("jdbc:h2:tcp:")) {
            warnings.warn(
                    RetryWarning.VOLATILE_STORE,
                    "Calls are stored in " + product.place()
                            + ", an H2 file. H2 can report a write as complete up to 500 ms before it is in the file,"
                            + " so a crash can lose accepted calls. Use SQLite (retryon.durable.store=embedded) or"
                            + " PostgreSQL");
        }
    }
}
