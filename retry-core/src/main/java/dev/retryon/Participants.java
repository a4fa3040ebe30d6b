// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Listeners, deciders or resolvers, in the order in which they were added. Some are looked up only when needed. */
final class Participants<T> {

    private final List<Supplier<? extends List<? extends T>>> sources;

    private final AtomicReference<@Nullable List<T>> known = new AtomicReference<>();

    Participants() {
        this(new ArrayList<>());
    }

    private Participants(List<Supplier<? extends List<? extends T>>> sources) {
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
        return new Participants<>(List.copyOf(sources));
    }

    /** Returns all participants. If the lookup fails, throws its exception, and the next call tries again. */
    List<T> all() {
        List<T> all = known.get();
        return all != null ? all : lookUp();
    }

    /** Returns all participants, or none if they cannot be looked up, which is reported. */
    List<T> all(Kind kind, ExtensionErrorReporter errors) {
        try {
            return all();
        } catch (Throwable ex) {
            String sentence = "the retry listeners or resolvers cannot be looked up; the call continues without them";
            errors.report(kind, ExtensionErrorListener.ANY, sentence, ex);
            return List.of();
        }
    }

    /** Several threads can look participants up at the same time, and all use the first result. */
    private List<T> lookUp() {
        List<T> found = new ArrayList<>();
        for (Supplier<? extends List<? extends T>> source : sources) {
            found.addAll(source.get());
        }
        return Objects.requireNonNull(known.updateAndGet(first -> first != null ? first : found));
    }
}
