// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryListener;
import dev.retryon.RetrySucceeded;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Keeps the events of an application that makes one call. */
final class Heard implements RetryListener {

    private final List<RetryEvent> events = new CopyOnWriteArrayList<>();

    private final CompletableFuture<RetryEvent> end = new CompletableFuture<>();

    @Override
    public void onEvent(RetryEvent event) {
        events.add(event);
        if (event instanceof RetryFailed || event instanceof RetrySucceeded) {
            end.complete(event);
        }
    }

    List<RetryEvent> events() {
        return events;
    }

    /** Waits for the end of the call; answers with how it ended. */
    String end() {
        RetryEvent event = end.orTimeout(30, TimeUnit.SECONDS).join();
        return event instanceof RetryFailed failed
                ? failed.reason() + (failed.recovered() ? " recovered" : "") + " at " + event.attempt()
                : "success at " + event.attempt();
    }
}
