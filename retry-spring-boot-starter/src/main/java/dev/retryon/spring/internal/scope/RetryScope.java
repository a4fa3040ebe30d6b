// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.scope;

import dev.retryon.Retry;
import dev.retryon.RetryResult;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.HandoverBackend;
import dev.retryon.spring.module.RetrySettings;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The differences for intercepted calls on this thread: the override that {@code Retries} has opened for the calls of a
 * lambda, and the result of the last of them; or the stored call that the next call continues. The advice reads and
 * writes it; it is not for applications.
 */
public final class RetryScope implements HandoverBackend.Resumption {

    /**
     * The number of open scopes in all threads. While there are none, which is nearly always, the advice reads this one
     * field and no thread-local. A thread sees at least its own scope.
     */
    private static final AtomicInteger OPEN = new AtomicInteger();

    private static final ThreadLocal<@Nullable RetryScope> CURRENT = new ThreadLocal<>();

    /** The scope that was current before this one; {@code null} if there was none. */
    private final @Nullable RetryScope outer;

    private final RetrySettings override;

    /** The result of the last call; replaced when another one begins. */
    private Recording last = new Recording();

    private final @Nullable StoredCall stored;

    private boolean taken;

    private RetryScope(@Nullable RetryScope outer, RetrySettings override, @Nullable StoredCall stored) {
        this.outer = outer;
        this.override = override;
        this.stored = stored;
    }

    /** A stored call that is resumed; see {@link #resume}. */
    private record StoredCall(Object method, UnaryOperator<Retry> resumption) {}

    /** The innermost scope of the current thread; {@code null} if there is none. */
    public static @Nullable RetryScope current() {
        return OPEN.getPlain() == 0 ? null : CURRENT.get();
    }

    /** The settings that the override gives to a call, possibly none. */
    public RetrySettings override() {
        return override;
    }

    /** Suspends this scope until the call has ended, so that it does not apply to calls nested in its attempts. */
    public Suspension suspend() {
        CURRENT.remove();
        return () -> CURRENT.set(this);
    }

    /** Begins an intercepted call, which is the last one from then on, and returns the recipient of its result. */
    public Recording begin() {
        last = new Recording();
        return last;
    }

    /** Receives the result of a call, from any thread. */
    public static final class Recording {

        private volatile RetryResult<?> result = RetryResult.none();

        private Recording() {}

        public void record(RetryResult<?> ended) {
            result = ended;
        }
    }

    /** The result of the last intercepted call; {@link RetryResult#none()} if there was no call, or it has not ended. */
    public RetryResult<?> last() {
        return last.result;
    }

    /** Opens a scope for the time of a lambda. Its settings override those of the scope around it. */
    public static RetryScope open(RetrySettings override) {
        RetryScope outer = current();
        return open(new RetryScope(
                outer, outer == null ? override : EffectiveSettings.ofNestedCalls(outer.override, override), null));
    }

    /**
     * Opens a scope in which the next intercepted call of a method continues a stored call. This thread waits for its result,
     * even if the method returns before.
     *
     * @param method the key of the method
     * @param resumption turns the method's retry into one that continues the call
     */
    public static RetryScope resume(Object method, UnaryOperator<Retry> resumption) {
        return open(new RetryScope(current(), RetrySettings.NONE, new StoredCall(method, resumption)));
    }

    private static RetryScope open(RetryScope scope) {
        OPEN.incrementAndGet();
        CURRENT.set(scope);
        return scope;
    }

    /** Whether it was opened for a stored call; {@code false} for an override, and if the call was {@linkplain #take taken}. */
    @Override
    public boolean isPending() {
        return stored != null && !taken;
    }

    /**
     * Takes the stored call. The scope has no effect from then on: while the call runs, other threads look for none
     * either.
     *
     * @return builds the retry that continues the call; {@code null} if the stored call belongs to another method
     */
    public @Nullable UnaryOperator<Retry> take(Object method) {
        if (stored == null || taken || !stored.method().equals(method)) {
            return null;
        }
        taken = true;
        CURRENT.remove();
        OPEN.decrementAndGet();
        return stored.resumption();
    }

    @Override
    public void close() {
        if (outer == null) {
            CURRENT.remove();
        } else {
            CURRENT.set(outer);
            outer.last = last;
        }
        if (!taken) {
            OPEN.decrementAndGet();
        }
    }

    @FunctionalInterface
    public interface Suspension extends AutoCloseable {

        @Override
        void close();
    }
}
