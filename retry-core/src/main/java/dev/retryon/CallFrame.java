package dev.retryon;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which call the thread is an attempt of. A first attempt only leaves its {@link Retry} here: that costs no allocation,
 * and the context is made of it if somebody asks.
 */
final class CallFrame {

    private static final ThreadLocal<CallFrame> FRAMES = ThreadLocal.withInitial(CallFrame::new);

    /** A {@link Retry}, a {@link RetryCall} or nothing. */
    @Nullable Object current;

    /** The time limit of the attempt that runs on this thread, if it has one. */
    @Nullable AttemptLimit limit;

    /** The asynchronous call whose attempts this thread is making. */
    @Nullable AsyncRetry<?, ?> driven;

    /** Whether that call wants another attempt at once. */
    boolean again;

    static CallFrame get() {
        return FRAMES.get();
    }

    @Nullable RetryCall context() {
        if (current instanceof Retry retry) {
            current = new RetryCall(retry, retry.engine().ticker().read());
        }
        return (RetryCall) current;
    }

    /** The context of an attempt that is known to run. */
    RetryCall call() {
        return Objects.requireNonNull(context());
    }
}
