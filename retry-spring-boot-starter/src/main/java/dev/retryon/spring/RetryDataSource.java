/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Marks the {@code DataSource} bean in which stored calls and dead letters are kept, for an application that has several; and
 * the {@code PlatformTransactionManager} bean that belongs to it. A routing data source that is marked is used even if it chooses
 * among several databases. Where an application uses the file of RetryOn's own, this
 * annotation at an injection point asks for its {@code DataSource}.
 *
 * @since 0.1.0
 */
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier public @interface RetryDataSource {}
