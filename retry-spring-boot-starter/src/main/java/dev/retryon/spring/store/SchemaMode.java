/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.store;

/**
 * Whether the tables are created: {@code retryon.jdbc.initialize-schema}.
 *
 * @since 0.1.0
 */
public enum SchemaMode {
    /** In a database that lives in memory only. */
    EMBEDDED,

    /** In any database. */
    ALWAYS,

    /** By somebody else, such as Flyway or Liquibase. */
    NEVER
}
