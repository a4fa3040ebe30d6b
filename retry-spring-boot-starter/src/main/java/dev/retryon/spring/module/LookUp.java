// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value that is looked up when it is first needed, and is then stored unless it is {@code null}. The look-up
 * holds no lock: it can create beans, and the thread that holds the lock of the bean factory could wait for the
 * current thread. If several threads look up the value at the same time, all of them receive the value that was
 * found first. Thread-safe.
 */
public final class LookUp<T extends @Nullable Object> implements Supplier<T> {

    private final Supplier<? extends T> source;

    private final AtomicReference<@Nullable T> found = new AtomicReference<>();

    public LookUp(Supplier<? extends T> source) {
        this.source = Objects.requireNonNull(source, "source");
    }

    @Override
    public T get() {
        T known = found.get();
        if (known != null) {
            return known;
        }
        T made = source.get();
        if (made == null || found.compareAndSet(null, made)) {
            return made;
        }
        return Objects.requireNonNull(found.get());
    }
}
