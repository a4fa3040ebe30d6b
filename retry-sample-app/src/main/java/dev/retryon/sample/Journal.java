// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import io.micrometer.context.ContextRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/**
 * Records the outcome of calls that {@code Retries.capture} does not support: calls that end on another thread, and requests
 * that the HTTP client retries.
 *
 * <p>A listener receives the events of all calls. A thread-local identifies the call. It is registered with Micrometer's
 * context propagation, so RetryOn restores it on every thread that runs an attempt.
 */
@Component
class Journal implements RetryListener {

    private static final String KEY = "shop.notes";

    private static final ThreadLocal<@Nullable Notes> NOTES = new ThreadLocal<>();

    Journal() {
        ContextRegistry.getInstance().registerThreadLocalAccessor(KEY, NOTES);
    }

    @Override
    public void onEvent(RetryEvent event) {
        Notes notes = NOTES.get();
        if (notes != null) {
            notes.events.add(event);
        }
    }

    /** Runs a blocking call. */
    CallReport tell(Supplier<String> call) {
        Notes notes = new Notes();
        try {
            return notes.answer(notes.during(call));
        } catch (RuntimeException ex) {
            return notes.error(ex);
        }
    }

    /** Runs an asynchronous call. */
    CompletableFuture<CallReport> tellLater(Supplier<CompletableFuture<String>> call) {
        Notes notes = new Notes();
        return notes.during(call).handle((value, ex) -> ex == null ? notes.answer(value) : notes.error(ex));
    }

    /** Runs a call that starts with a subscription. */
    Mono<CallReport> tell(Mono<String> call) {
        return Mono.defer(() -> {
            Notes notes = new Notes();
            return call.map(notes::answer)
                    .onErrorResume(ex -> Mono.just(notes.error(ex)))
                    .contextWrite(context -> context.put(KEY, notes));
        });
    }

    private static final class Notes {

        private final List<RetryEvent> events = new CopyOnWriteArrayList<>();

        <T> T during(Supplier<T> call) {
            NOTES.set(this);
            try {
                return call.get();
            } finally {
                NOTES.remove();
            }
        }

        CallReport answer(String answer) {
            return CallReport.of(answer, null, events);
        }

        CallReport error(Throwable error) {
            return CallReport.of(null, error, events);
        }
    }
}
