// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The method, target and arguments of a call. Gates, deciders and backoff strategies read it from
 * {@link RetryContext#subject()}.
 *
 * @since 0.1.0
 */
public final class CallSubject {

    private final String key;

    private final @Nullable Object target;

    private final @Nullable Object[] arguments;

    private CallSubject(String key, @Nullable Object target, @Nullable Object[] arguments) {
        this.key = Objects.requireNonNull(key, "key");
        this.target = target;
        this.arguments = Objects.requireNonNull(arguments, "arguments");
    }

    /**
     * Creates a description of a call.
     *
     * @param key the canonical name of the method
     * @param target the object on which the method is called, or {@code null}
     * @param arguments the arguments
     * @return a description that references the given objects
     */
    public static CallSubject of(String key, @Nullable Object target, @Nullable Object... arguments) {
        return new CallSubject(key, target, arguments);
    }

    /**
     * {@return the canonical name of the method, such as {@code com.acme.PaymentService#charge(com.acme.Order)}; for a
     * lambda, the name of its retry}
     *
     * <p>The name is the same in every process that runs the same code, so it can be stored.
     */
    public String key() {
        return key;
    }

    /**
     * {@return the object on which the method is called, which is the bean or the lambda; {@code null} for a static
     * method}
     */
    public @Nullable Object target() {
        return target;
    }

    /**
     * {@return the arguments of the call, which are the same for every attempt; can be empty} Do not modify the array.
     */
    public @Nullable Object[] arguments() {
        return arguments;
    }

    /** Returns the key, without the target or the arguments, which can contain secrets or fail to print. */
    @Override
    public String toString() {
        return key;
    }
}
