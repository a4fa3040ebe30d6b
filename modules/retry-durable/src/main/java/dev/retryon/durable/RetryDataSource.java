// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Selects the {@code DataSource} bean that stores calls and dead letters, if the application has several. If you
 * annotate a {@code DataSource}, also annotate its {@code PlatformTransactionManager} bean. An annotated routing data
 * source is used even if it selects among several databases. With {@code retryon.durable.store=embedded}, annotate an
 * injection point to receive the {@code DataSource} of the separate file.
 *
 * @since 0.1.0
 */
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier public @interface RetryDataSource {}
