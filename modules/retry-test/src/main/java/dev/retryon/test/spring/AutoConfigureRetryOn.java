// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Adds the auto-configuration of {@code @RetryOn} to a test that does not include it, such as {@code @JsonTest} or
 * {@code @SpringJUnitConfig}. Delays take real time. If delays should take no time, use {@link VirtualRetries},
 * which also adds the auto-configuration.
 *
 * <p>Slices that usually contain annotated beans already include the auto-configuration: {@code @WebMvcTest},
 * {@code @WebFluxTest}, {@code @GraphQlTest}, {@code @RestClientTest}, {@code @WebClientTest}, and the slices for
 * web services and Spring Data.
 *
 * @since 0.1.0
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ImportAutoConfiguration
public @interface AutoConfigureRetryOn {}
