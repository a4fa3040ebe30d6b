/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
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
 * Notes how a call went where {@code Retries.capture} does not see it: the call ends on another thread, or it is the HTTP
 * client that retries.
 *
 * <p>A listener receives the events of all calls. A thread-local, which is there in every attempt, shows whose call it is, on whatever
 * thread: it is registered with Micrometer's context propagation, and RetryOn carries along what is.
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

    /** A call that blocks. */
    CallReport tell(Supplier<String> call) {
        Notes notes = new Notes();
        try {
            return notes.answer(notes.during(call));
        } catch (RuntimeException ex) {
            return notes.error(ex);
        }
    }

    /** A call that answers later. */
    CompletableFuture<CallReport> tellLater(Supplier<CompletableFuture<String>> call) {
        Notes notes = new Notes();
        return notes.during(call).handle((value, ex) -> ex == null ? notes.answer(value) : notes.error(ex));
    }

    /** A call that is made by subscribing. */
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
