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
 * The differences for intercepted calls on this thread: the override that {@code Retries} has opened for the calls in a
 * lambda, and the result of the last of these calls; or the stored call that the next call continues. The advice reads and
 * writes the scope, which is not for applications.
 */
public final class RetryScope implements HandoverBackend.Resumption {

    /**
     * The number of open scopes in all threads. While no scope is open, which is the usual case, the advice reads only this
     * field and no thread-local. A thread sees at least its own scope.
     */
    private static final AtomicInteger OPEN = new AtomicInteger();

    private static final ThreadLocal<@Nullable RetryScope> CURRENT = new ThreadLocal<>();

    private final @Nullable RetryScope outer;

    private final RetrySettings override;

    private Recording last = new Recording();

    private final @Nullable StoredCall stored;

    private boolean taken;

    private RetryScope(@Nullable RetryScope outer, RetrySettings override, @Nullable StoredCall stored) {
        this.outer = outer;
        this.override = override;
        this.stored = stored;
    }

    private record StoredCall(Object method, UnaryOperator<Retry> resumption) {}

    public static @Nullable RetryScope current() {
        return OPEN.getPlain() == 0 ? null : CURRENT.get();
    }

    public RetrySettings override() {
        return override;
    }

    /** Suspends this scope until the call has ended, so that it does not apply to calls nested in its attempts. */
    public Suspension suspend() {
        CURRENT.remove();
        return () -> CURRENT.set(this);
    }

    /** Begins an intercepted call, which becomes the last call, and returns the recipient of its result. */
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

    /**
     * Returns the result of the last intercepted call, or {@link RetryResult#none()} if no call was intercepted or the
     * last call has not ended.
     */
    public RetryResult<?> last() {
        return last.result;
    }

    /** Opens a scope for the time of a lambda. The scope's settings override those of the enclosing scope. */
    public static RetryScope open(RetrySettings override) {
        RetryScope outer = current();
        return open(new RetryScope(
                outer, outer == null ? override : EffectiveSettings.ofNestedCalls(outer.override, override), null));
    }

    /**
     * Opens a scope in which the next intercepted call to a method continues a stored call. This thread waits for the
     * call's result, even if the method returns earlier.
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

    /**
     * Returns whether the scope was opened for a stored call that is not {@linkplain #take taken} yet; {@code false} for
     * an override.
     */
    @Override
    public boolean isPending() {
        return stored != null && !taken;
    }

    /**
     * Takes the stored call. Returns the function that turns the retry of the method into one that continues the call, or
     * {@code null} if the stored call belongs to another method. Afterwards, the scope has no effect. While the call
     * runs, other threads therefore do not look for a scope either.
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
