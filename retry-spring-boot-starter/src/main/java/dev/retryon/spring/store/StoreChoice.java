/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.store;

import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.spring.RetryDataSource;
import dev.retryon.spring.settings.Place;
import dev.retryon.spring.settings.RetryConfigurationException;
import dev.retryon.spring.settings.RetryFault;
import dev.retryon.spring.settings.StarterLog;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.io.ResourceLoader;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Chooses the database that calls are kept in: the {@code DataSource} with {@link RetryDataSource}, else the only one; or a
 * file of RetryOn's own, where {@code retryon.durable.store} requests it. The choice is made, and the tables are looked at, when
 * it is first asked for. An application that keeps no calls needs no database, and gets no tables. Thread-safe.
 *
 * @since 0.1.0
 */
public final class StoreChoice {

    private static final String PROPERTY = "retryon.durable.store";

    private final Mode mode;

    private final Candidates<DataSource> dataSources;

    private final Candidates<PlatformTransactionManager> transactionManagers;

    private final SchemaSettings schema;

    private final ResourceLoader resources;

    private volatile @Nullable RetryStore chosen;

    /** Where calls are kept: {@code retryon.durable.store}. */
    public enum Mode {
        /** In the application's own database. */
        AUTO,

        /** In a file of RetryOn's own, whatever databases the application has. For one process. */
        EMBEDDED
    }

    /**
     * Beans of a type.
     *
     * @param <T> the type
     * @param marked those with {@link RetryDataSource}
     * @param all those that are injected without a qualifier
     */
    public record Candidates<T>(ObjectProvider<T> marked, ObjectProvider<T> all) {}

    /**
     * Creates a choice that is not made yet.
     *
     * @param mode which kind of database
     * @param dataSources the databases
     * @param transactionManagers the transaction managers
     * @param schema how the tables come into being
     * @param resources where scripts are
     */
    public StoreChoice(
            Mode mode,
            Candidates<DataSource> dataSources,
            Candidates<PlatformTransactionManager> transactionManagers,
            SchemaSettings schema,
            ResourceLoader resources) {
        this.mode = mode;
        this.dataSources = dataSources;
        this.transactionManagers = transactionManagers;
        this.schema = schema;
        this.resources = resources;
    }

    /**
     * The database, with its tables.
     *
     * @return always the same one
     * @throws RetryConfigurationException with what is to be corrected, if there is no such database, if there are several,
     *     or if its tables are missing; asked again, it looks again
     * @throws org.springframework.dao.DataAccessException if the database can't be reached
     */
    public RetryStore get() {
        RetryStore known = chosen;
        if (known != null) {
            return known;
        }
        // Before the lock is taken: whoever makes beans may wait for another thread that does, and comes here.
        boolean own = mode == Mode.EMBEDDED;
        DataSource dataSource = dataSource(own);
        Managers managers = managers(own);
        synchronized (this) {
            known = chosen;
            if (known == null) {
                known = choose(own, dataSource, managers);
                chosen = known;
            }
            return known;
        }
    }

    /** The transaction manager that is asked for, if there is one, and whether the application has any. */
    private record Managers(@Nullable PlatformTransactionManager candidate, boolean any) {}

    private Managers managers(boolean own) {
        PlatformTransactionManager candidate = null;
        if (!own) {
            candidate = transactionManagers.marked().getIfUnique();
            candidate =
                    candidate != null ? candidate : transactionManagers.all().getIfUnique();
        }
        return new Managers(
                candidate, transactionManagers.all().stream().findAny().isPresent());
    }

    /**
     * The store of dead letters in the database that is chosen now.
     *
     * @param clock the clock by which holds lapse
     * @return a store of dead letters
     * @throws RetryConfigurationException if the choice can't be made; see {@link #get()}
     */
    public DeadLetterStore deadLetters(Clock clock) {
        return new JdbcDeadLetterStore(get(), clock);
    }

    private RetryStore choose(boolean own, DataSource dataSource, Managers managers) {
        Database.Product product = Database.Product.of(dataSource);
        Database database;
        try {
            database = product.database();
        } catch (IllegalArgumentException ex) {
            throw fault("is '" + property() + "', but " + ex.getMessage());
        }
        StoreSchema tables = new StoreSchema(schema, resources);
        RetryFault missing = tables.prepare(dataSource, database, own);
        if (missing != null) {
            throw new RetryConfigurationException(List.of(missing));
        }
        warn(product, database);
        PlatformTransactionManager governing = governs(managers.candidate(), dataSource) ? managers.candidate() : null;
        RetryStore store = new RetryStore(
                dataSource,
                database,
                own,
                schema.applicationKey(),
                governing != null ? governing : new JdbcTransactionManager(dataSource),
                governing != null || !managers.any());
        StarterLog.info("Calls are kept in " + database.product() + " at " + product.place()
                + (own ? ", a file of their own" : ""));
        return store;
    }

    private String property() {
        return mode.name().toLowerCase(Locale.ROOT);
    }

    private static RetryConfigurationException fault(String problem) {
        return new RetryConfigurationException(List.of(new RetryFault(Place.property(PROPERTY), problem)));
    }

    private DataSource dataSource(boolean own) {
        List<DataSource> marked = dataSources.marked().stream().toList();
        if (marked.size() > 1) {
            throw fault("is '" + property() + "', but " + marked.size() + " DataSource beans have @RetryDataSource"
                    + names(dataSources.marked()) + (own ? ", one of which is the file that 'embedded' asks for" : "")
                    + "; leave one");
        }
        if (marked.size() == 1) {
            return withoutTransactions(marked.get(0));
        }
        if (own) {
            throw fault(
                    "is 'embedded', but this needs org.xerial:sqlite-jdbc and com.zaxxer:HikariCP on the class path");
        }
        DataSource only = dataSources.all().getIfUnique();
        if (only != null) {
            return withoutTransactions(only);
        }
        long count = dataSources.all().stream().count();
        throw fault(
                count == 0
                        ? "is 'auto', but there is no DataSource bean that calls could be kept in; configure one, or set the"
                                + " property to 'embedded' for a file of RetryOn's own"
                        : "is 'auto', but there are " + count
                                + " DataSource beans" + names(dataSources.all())
                                + "; mark the one that calls are kept in with @RetryDataSource");
    }

    /** The names of several beans, as far as the container tells them. */
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

    /** The one below, whose connections transactions are found by. */
    private static DataSource withoutTransactions(DataSource dataSource) {
        DataSource next = dataSource;
        while (next instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null) {
            next = proxy.getTargetDataSource();
        }
        return next;
    }

    /** Whether a transaction manager manages transactions of this database. */
    private static boolean governs(@Nullable PlatformTransactionManager candidate, DataSource dataSource) {
        // Whatever kind it is, its transactions bind a connection of what they manage.
        return candidate != null
                && Boolean.TRUE.equals(new TransactionTemplate(candidate)
                        .execute(status -> TransactionSynchronizationManager.hasResource(dataSource)));
    }

    private static void warn(Database.Product product, Database database) {
        if (product.isInMemory()) {
            StarterLog.warn(
                    "Calls are kept in " + product.place() + ", which is volatile: they are lost when the process ends."
                            + " Use a database that outlives it, or retryon.durable.store=embedded");
        } else if (database == Database.H2 && !product.url().startsWith("jdbc:h2:tcp:")) {
            StarterLog.warn("Calls are kept in " + product.place()
                    + ", an H2 file. H2 reports writes as done up to 500 ms before they are in the file, so that calls"
                    + " which were accepted can be lost in a crash. Use SQLite (retryon.durable.store=embedded) or"
                    + " PostgreSQL");
        }
    }
}
