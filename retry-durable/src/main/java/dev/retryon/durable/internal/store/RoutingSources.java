/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.store;

import java.sql.SQLException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ClassUtils;

/** Data sources that choose another database for each thread, where a worker would not find the calls of a caller. */
final class RoutingSources {

    private RoutingSources() {}

    /** The class of a data source that may write to several databases; {@code null} if it is none. */
    static @Nullable String find(DataSource dataSource) {
        AbstractRoutingDataSource routing = unwrap(dataSource);
        if (routing == null) {
            return null;
        }
        Set<DataSource> writable = Collections.newSetFromMap(new IdentityHashMap<>());
        writable.addAll(routing.getResolvedDataSources().values());
        if (routing.getResolvedDefaultDataSource() != null) {
            writable.add(routing.getResolvedDefaultDataSource());
        }
        // Replicas hold what the database beside them holds.
        writable.removeIf(RoutingSources::isReadOnly);
        return writable.size() > 1 ? ClassUtils.getUserClass(routing).getName() : null;
    }

    private static @Nullable AbstractRoutingDataSource unwrap(DataSource dataSource) {
        try {
            return dataSource.isWrapperFor(AbstractRoutingDataSource.class)
                    ? dataSource.unwrap(AbstractRoutingDataSource.class)
                    : null;
        } catch (SQLException ex) {
            return null; // it does not tell
        }
    }

    private static boolean isReadOnly(DataSource target) {
        return StoreChoice.HAS_HIKARI && OwnPool.isReadOnly(target);
    }
}
