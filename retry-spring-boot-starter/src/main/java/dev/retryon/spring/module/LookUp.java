// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.module;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value that is looked up when it is first needed, and then kept unless it is {@code null}. No lock is held
 * meanwhile: a look-up may create beans, and the thread that holds the lock of the bean factory could wait for this
 * one. Threads that ask at the same time may each look the value up; all of them get the one that was found first.
 * Thread-safe.
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
