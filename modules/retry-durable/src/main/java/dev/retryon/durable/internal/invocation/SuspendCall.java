// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlin.coroutines.EmptyCoroutineContext;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** Calls Kotlin's suspend functions, and subscribes to publishers. This is a separate class, because its types can be missing. */
final class SuspendCall {

    private SuspendCall() {}

    /** Subscribes on this thread, and returns a future of the completion; {@code null} if the value is not a publisher. */
    static @Nullable CompletableFuture<?> subscribe(@Nullable Object returned) {
        return returned instanceof Publisher<?> publisher
                ? Flux.from(publisher).then().toFuture()
                : null;
    }

    /** Returns the arguments with a continuation that nothing depends on. */
    static @Nullable Object[] withContinuation(@Nullable Object[] arguments) {
        @Nullable Object[] all = Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = new Unused();
        return all;
    }

    private static final class Unused implements Continuation<Object> {

        @Override
        public CoroutineContext getContext() {
            return EmptyCoroutineContext.INSTANCE;
        }

        @Override
        public void resumeWith(Object result) {}
    }
}
