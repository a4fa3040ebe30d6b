// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Hides an argument of a stored call in endpoints, events, logs and messages. The argument is stored unencrypted,
 * because the call needs it when it runs again. Anyone with access to the store can read the argument.
 *
 * <pre>{@code
 * public void send(String order, @Redacted String token)
 * }</pre>
 *
 * <p>Annotate a parameter of the method, or of a method that it overrides. You can also annotate a component of a
 * record or a parameter of a constructor. Each argument that contains the record or class is then hidden as a
 * whole.
 *
 * @since 0.1.0
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface Redacted {}
