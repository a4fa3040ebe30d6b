/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.settings;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value that is looked up when it is first needed, and then kept. No lock is held meanwhile, because a look-up may make beans:
 * the thread that holds the bean factory's lock could wait for the one that looks up, which waits for that lock. Threads that
 * ask at the same time may therefore each look the value up; all of them get the one that was found first. Where there is
 * none, it is looked up again the next time. Thread-safe.
 *
 * @param <T> the type of the value; nullable if there may be none
 */
public final class LookUp<T extends @Nullable Object> implements Supplier<T> {

    private final Supplier<? extends T> source;

    private final AtomicReference<@Nullable T> found = new AtomicReference<>();

    /**
     * Creates a look-up. The value is not looked up yet.
     *
     * @param source looks the value up; may be asked several times, by several threads at once
     */
    public LookUp(Supplier<? extends T> source) {
        this.source = Objects.requireNonNull(source, "source");
    }

    /** The value that was found first. */
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
