/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.test.spring;

import dev.retryon.test.RecordedRetries;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Import;

/**
 * On a test class with a Spring context: waits between attempts take no time, with the policies unchanged, and the bean
 * {@link RecordedRetries} records the calls that were retried or that failed.
 *
 * <p>The auto-configuration of {@code @RetryOn} comes along, so that this also works in tests that leave it out: {@code
 * @WebMvcTest} and other slices, or {@code @SpringJUnitConfig}. The context fails to start where virtual time cannot reach
 * the retries: with {@code retryon.enabled=false}, and with a {@code RetryEngine} bean of the application's own.
 *
 * @since 0.1.0
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ImportAutoConfiguration
@Import(VirtualRetriesConfiguration.class)
public @interface VirtualRetries {}
