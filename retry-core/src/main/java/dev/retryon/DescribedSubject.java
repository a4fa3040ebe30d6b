// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A subject as it was described. */
final class DescribedSubject implements CallSubject {

    private final String key;

    private final @Nullable Object target;

    private final @Nullable Object[] arguments;

    DescribedSubject(String key, @Nullable Object target, @Nullable Object[] arguments) {
        this.key = Objects.requireNonNull(key, "key");
        this.target = target;
        this.arguments = Objects.requireNonNull(arguments, "arguments");
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public @Nullable Object target() {
        return target;
    }

    @Override
    public @Nullable Object[] arguments() {
        return arguments;
    }

    /** Without target and arguments, which may be secret or fail to print. */
    @Override
    public String toString() {
        return key;
    }
}
