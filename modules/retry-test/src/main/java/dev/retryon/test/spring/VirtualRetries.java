// SPDX-License-Identifier: Apache-2.0
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
 * Makes delays between attempts take no time in a test with a Spring context, without changing policies. The bean
 * {@link RecordedRetries} records the calls that are retried or fail.
 *
 * <p>The annotation includes the auto-configuration of {@code @RetryOn}. It therefore also works in tests that do not
 * include it, such as {@code @JsonTest} or {@code @SpringJUnitConfig}. The context does not start if virtual time
 * cannot apply, because {@code retryon.enabled} is {@code false} or the application defines its own {@code RetryEngine}
 * bean.
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
