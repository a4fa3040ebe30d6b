// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import dev.retryon.test.spring.VirtualRetries;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Stores durable calls and dead letters in memory in a test with a Spring context, and runs the calls when the test
 * requests it. No database is required. The bean {@link VirtualCalls} lists the calls, advances the time and runs the
 * calls that are due.
 *
 * <p>This annotation includes {@link VirtualRetries}, so calls and retries have the same virtual time.
 *
 * @since 0.1.0
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@VirtualRetries
@ImportAutoConfiguration
public @interface VirtualDurableCalls {}
