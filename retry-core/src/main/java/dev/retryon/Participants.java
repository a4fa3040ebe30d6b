package dev.retryon;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Those who take part in calls that fail, in the order added. Some may be known only when the first of them is needed. */
final class Participants<T> {

    private final IntFunction<T[]> array;

    private final List<Supplier<? extends List<? extends T>>> sources;

    /** An array, because it is gone through several times a failure. */
    private volatile T @Nullable [] known;

    Participants(IntFunction<T[]> array) {
        this(array, new ArrayList<>());
    }

    private Participants(IntFunction<T[]> array, List<Supplier<? extends List<? extends T>>> sources) {
        this.array = array;
        this.sources = sources;
    }

    void add(T participant) {
        List<T> one = List.of(participant);
        sources.add(() -> one);
    }

    void addAll(Supplier<? extends List<? extends T>> later) {
        sources.add(Objects.requireNonNull(later, "later"));
    }

    /** What has been added so far. */
    Participants<T> copy() {
        return new Participants<>(array, List.copyOf(sources));
    }

    /**
     * All of them; not to be changed.
     *
     * @throws RuntimeException if they can't be looked up; the next call tries again
     */
    T[] all() {
        T[] all = known;
        if (all == null) {
            all = sources.stream().flatMap(source -> source.get().stream()).toArray(array);
            known = all;
        }
        return all;
    }

    T[] none() {
        return array.apply(0);
    }
}
