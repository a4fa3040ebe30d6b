// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Hides an argument of a stored call in endpoints, events, logs and messages. The argument is stored unencrypted, because
 * the call needs it when it runs again. Anyone who can read the store can read it.
 *
 * <pre>{@code
 * public void send(String order, @Redacted String token)
 * }</pre>
 *
 * <p>Put it on a parameter of the method, or of a method that it overrides. On a component of a record, or on a parameter
 * of a constructor, it hides each argument that contains the type, as a whole.
 *
 * @since 0.1.0
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface Redacted {}
