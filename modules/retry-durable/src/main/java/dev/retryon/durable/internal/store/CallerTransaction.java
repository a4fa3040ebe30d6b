// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ReflectionUtils;

/** The transaction of the thread, as the application's transaction managers know it. */
final class CallerTransaction {

    /** By name, because the class needs the JTA API. */
    private static final String JTA = "org.springframework.transaction.jta.JtaTransactionManager";

    private static final TransactionDefinition ASK =
            new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_SUPPORTS);

    /** The managers of the application, and the one for the store if it cannot be recognized by its data source. */
    record Managers(@Nullable PlatformTransactionManager candidate, Set<PlatformTransactionManager> all) {

        static Managers of(StoreChoice.Candidates<PlatformTransactionManager> beans) {
            PlatformTransactionManager marked = beans.marked().getIfUnique();
            Set<PlatformTransactionManager> all = new LinkedHashSet<>();
            Stream.concat(beans.marked().stream(), beans.all().stream()).forEach(all::add);
            return new Managers(marked != null ? marked : beans.all().getIfUnique(), all);
        }
    }

    /** The managers whose transactions the store's database takes part in. The first one is not a bean. */
    private final List<PlatformTransactionManager> ruling;

    private final Managers managers;

    enum State {
        /** No transaction, and no connection that belongs to the thread. */
        NONE,

        /** No transaction, or a transaction that has ended, but the thread might still have a connection. */
        ENDED,

        OF_STORE,

        /** A transaction of another database or of another transaction manager. */
        OF_OTHERS
    }

    /** Asks the managers whose transactions the database takes part in: none if it is the separate file. */
    CallerTransaction(DataSource dataSource, boolean isOwn, Managers managers) {
        this.managers = managers;
        markCommits(managers.all());
        Stream<PlatformTransactionManager> some =
                managers.all().stream().filter(manager -> !isOwn && takesPart(dataSource, manager));
        // Transactions of managers that are not beans are found by their data source.
        this.ruling = Stream.concat(Stream.of(new JdbcTransactionManager(dataSource)), some)
                .toList();
    }

    private static void markCommits(Set<PlatformTransactionManager> all) {
        for (PlatformTransactionManager manager : all) {
            if (manager instanceof ConfigurableTransactionManager configurable) {
                Collection<TransactionExecutionListener> known = configurable.getTransactionExecutionListeners();
                if (!known.contains(CommitMark.LISTENER)) {
                    // A new list, because other threads' transactions might be iterating over this one.
                    List<TransactionExecutionListener> more = new ArrayList<>(known);
                    more.add(CommitMark.LISTENER);
                    configurable.setTransactionExecutionListeners(more);
                }
            }
        }
    }

    private boolean takesPart(DataSource dataSource, PlatformTransactionManager manager) {
        return isJta(manager)
                ? joins(dataSource, manager)
                : manages(manager, dataSource) || (manager == managers.candidate() && binds(manager, dataSource));
    }

    @Nullable PlatformTransactionManager jta() {
        return managers.all().stream()
                .filter(CallerTransaction::isJta)
                .findFirst()
                .orElse(null);
    }

    /** Returns {@code false} if the application has transactions, and all of them are for other databases. */
    boolean canBeOfStore() {
        return ruling.size() > 1 || managers.all().isEmpty();
    }

    private static boolean isJta(PlatformTransactionManager manager) {
        Class<?> type = manager.getClass();
        while (type != null && !type.getName().equals(JTA)) {
            type = type.getSuperclass();
        }
        return type != null;
    }

    /** Returns whether a manager has the database as a property, as the managers of JDBC, JPA and Hibernate do. */
    private static boolean manages(PlatformTransactionManager manager, DataSource dataSource) {
        Method getter = BeanUtils.findMethod(manager.getClass(), "getDataSource");
        return getter != null
                && DataSource.class.isAssignableFrom(getter.getReturnType())
                && ReflectionUtils.invokeMethod(getter, manager) == dataSource;
    }

    /**
     * Returns whether a manager's transactions bind a connection of the database. Checks only the given manager,
     * because others might have to be reached.
     */
    private static boolean binds(PlatformTransactionManager manager, DataSource dataSource) {
        return Boolean.TRUE.equals(new TransactionTemplate(manager)
                .execute(status -> TransactionSynchronizationManager.hasResource(dataSource)));
    }

    /** Returns whether connections stop committing by themselves within a JTA transaction. */
    private static boolean joins(DataSource dataSource, PlatformTransactionManager jta) {
        TransactionTemplate transaction = new TransactionTemplate(jta);
        return commitsItself(dataSource)
                && Boolean.FALSE.equals(transaction.execute(status -> {
                    status.setRollbackOnly();
                    return commitsItself(dataSource);
                }));
    }

    private static boolean commitsItself(DataSource dataSource) {
        return Boolean.TRUE.equals(
                new JdbcTemplate(dataSource).execute((ConnectionCallback<Boolean>) Connection::getAutoCommit));
    }

    State state() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            if (ruling.stream().anyMatch(manager -> isNeverSynchronized(manager) && isActive(manager))) {
                return State.OF_STORE;
            }
            // Synchronization ends before callbacks run after completion, while the connection is still bound.
            return TransactionSynchronizationManager.getResourceMap().isEmpty()
                            && !TransactionSynchronizationManager.isActualTransactionActive()
                    ? State.NONE
                    : State.ENDED;
        }
        if (!TransactionSynchronizationManager.isActualTransactionActive() || CommitMark.isSet()) {
            return State.ENDED;
        }
        return ruling.stream().anyMatch(CallerTransaction::isActive) ? State.OF_STORE : State.OF_OTHERS;
    }

    /** Returns whether a manager's transactions have no synchronization, and therefore no callbacks after their end. */
    private static boolean isNeverSynchronized(PlatformTransactionManager manager) {
        return manager instanceof AbstractPlatformTransactionManager configured
                && configured.getTransactionSynchronization()
                        == AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER;
    }

    /** Does not begin anything that must end, because synchronization is already active, or never begins. */
    private static boolean isActive(PlatformTransactionManager manager) {
        return manager.getTransaction(ASK).hasTransaction();
    }
}
