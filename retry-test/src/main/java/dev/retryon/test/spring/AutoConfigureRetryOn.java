/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.test.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Brings the auto-configuration of {@code @RetryOn} into a test that leaves it out, such as {@code @JsonTest} or {@code
 * @SpringJUnitConfig}. Waits take their time; {@link VirtualRetries} brings the auto-configuration along, too, and makes
 * them pass at once.
 *
 * <p>Slices in which annotated beans usually occur have the auto-configuration without it: {@code @WebMvcTest},
 * {@code @WebFluxTest}, {@code @GraphQlTest}, {@code @RestClientTest}, {@code @WebClientTest}, those of web services and those of
 * Spring Data.
 *
 * @since 0.1.0
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ImportAutoConfiguration
public @interface AutoConfigureRetryOn {}
