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
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ReflectionUtils;

final class StoreManagers {

    /** By name, because the class needs the JTA API. */
    private static final String JTA = "org.springframework.transaction.jta.JtaTransactionManager";

    private final @Nullable PlatformTransactionManager candidate;

    private final Set<PlatformTransactionManager> all = new LinkedHashSet<>();

    StoreManagers(StoreChoice.Candidates<PlatformTransactionManager> managers) {
        PlatformTransactionManager marked = managers.marked().getIfUnique();
        this.candidate = marked != null ? marked : managers.all().getIfUnique();
        Stream.concat(managers.marked().stream(), managers.all().stream()).forEach(all::add);
    }

    boolean hasAny() {
        return !all.isEmpty();
    }

    @Nullable PlatformTransactionManager jta() {
        return all.stream().filter(StoreManagers::isJta).findFirst().orElse(null);
    }

    private static boolean isJta(PlatformTransactionManager manager) {
        Class<?> type = manager.getClass();
        while (type != null && !type.getName().equals(JTA)) {
            type = type.getSuperclass();
        }
        return type != null;
    }

    void markCommits() {
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

    /** Returns the managers whose transactions a database takes part in. */
    List<PlatformTransactionManager> ruling(DataSource dataSource) {
        return all.stream()
                .filter(manager -> isJta(manager)
                        ? takesPart(dataSource, manager)
                        : manages(manager, dataSource) || (manager == candidate && binds(manager, dataSource)))
                .toList();
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
    private static boolean takesPart(DataSource dataSource, PlatformTransactionManager jta) {
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
}
