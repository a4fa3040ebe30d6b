// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks exceptions and methods that are never retried. The annotation overrides every policy.
 *
 * <p>On an exception class, the annotation also applies to subclasses. An error of that class, or with a cause of
 * that class, ends the call. A method runs without RetryOn if it has the annotation, or if it overrides a method
 * that has it.
 *
 * @since 0.1.0
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface DoNotRetry {}
