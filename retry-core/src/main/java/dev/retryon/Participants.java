// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Kind;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Listeners, deciders or resolvers, in the order in which they were added. Some are looked up only when needed. */
final class Participants<T> {

    private final Class<T> type;

    private final List<Supplier<? extends List<? extends T>>> sources;

    /** An array, because it is iterated often. It is never replaced, because callers keep positions in it. */
    private volatile T @Nullable [] known;

    Participants(Class<T> type) {
        this(type, new ArrayList<>());
    }

    private Participants(Class<T> type, List<Supplier<? extends List<? extends T>>> sources) {
        this.type = type;
        this.sources = sources;
    }

    void add(T participant) {
        List<T> one = List.of(participant);
        sources.add(() -> one);
    }

    void addAll(Supplier<? extends List<? extends T>> later) {
        sources.add(Objects.requireNonNull(later, "later"));
    }

    Participants<T> copy() {
        return new Participants<>(type, List.copyOf(sources));
    }

    /**
     * Returns all participants, in an array that must not be changed. If the lookup fails, throws its exception, and the
     * next call tries again.
     */
    T[] all() {
        T[] all = known;
        return all != null ? all : lookUp();
    }

    /** Returns all participants, or none if they cannot be looked up, which is reported. */
    T[] all(Kind kind, ExtensionErrorReporter errors) {
        try {
            return all();
        } catch (Throwable ex) {
            String sentence = "the retry listeners or resolvers cannot be looked up; the call continues without them";
            errors.report(kind, ExtensionErrorListener.ANY, sentence, ex);
            return none();
        }
    }

    private T[] lookUp() {
        List<T> found = new ArrayList<>();
        for (Supplier<? extends List<? extends T>> source : sources) {
            found.addAll(source.get());
        }
        return first(found.toArray(none()));
    }

    /** Records the first result. Several threads can look participants up at the same time, and all use this result. */
    private synchronized T[] first(T[] found) {
        T[] all = known != null ? known : found;
        known = all;
        return all;
    }

    @SuppressWarnings("unchecked")
    private T[] none() {
        return (T[]) Array.newInstance(type, 0);
    }
}
