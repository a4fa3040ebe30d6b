/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.observe;

import dev.retryon.DeadLettered;
import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryScheduled;
import dev.retryon.RetrySucceeded;
import dev.retryon.Ticker;
import dev.retryon.spring.internal.report.ExtensionErrors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;

/**
 * Publishes {@link RetryEvent}s as application events, so that {@code @EventListener void on(RetryFailed event)} receives
 * them, in the context or one of its parents. An event of a type without listeners is not made.
 *
 * <p>A listener that is registered with a context receives events from then on. One that is added to the context's
 * multicaster directly does so once {@value #SELDOM} events have been asked about, a second or more after the listeners were
 * looked up.
 */
final class RetryEventPublisher implements TelemetryListener {

    static final Duration LOOKED_UP = Duration.ofSeconds(1);

    /** The clock is read once in this many questions, because reading it takes longer than all else here. */
    static final int SELDOM = 16;

    private final ApplicationContext context;

    private final Ticker ticker;

    private volatile long lookedUp;

    /** About how often it was asked: threads may overwrite each other's count. */
    private int asked;

    private final PublishedType scheduled;

    private final PublishedType succeeded;

    private final PublishedType failed;

    private final PublishedType deadLettered;

    /** The context and its parents; {@code null} until each has a multicaster. */
    private volatile @Nullable List<ContextListeners> contexts;

    RetryEventPublisher(ApplicationContext context) {
        this(context, System::nanoTime);
    }

    RetryEventPublisher(ApplicationContext context, Ticker ticker) {
        this.context = context;
        this.ticker = ticker;
        this.lookedUp = ticker.read();
        this.scheduled = new PublishedType(RetryScheduled.class);
        this.succeeded = new PublishedType(RetrySucceeded.class);
        this.failed = new PublishedType(RetryFailed.class);
        this.deadLettered = new PublishedType(DeadLettered.class);
    }

    @Override
    public ExtensionErrors.Kind faultKind() {
        return ExtensionErrors.Kind.LISTENER;
    }

    @Override
    public boolean wants(Class<? extends RetryEvent> type) {
        List<ContextListeners> known = contexts();
        if (asked++ % SELDOM == 0) {
            forgetOldAnswers();
        }
        return known == null || published(type).isWanted(context, known);
    }

    @Override
    public void onEvent(RetryEvent event) {
        List<ContextListeners> known = contexts();
        if (known == null) {
            // The context is not that far yet and keeps the event for later.
            context.publishEvent(event);
        } else {
            published(event.getClass()).send(context, event, known);
        }
    }

    /** A listener may have taken the place of another one, or have been added past the context. */
    private void forgetOldAnswers() {
        long now = ticker.read();
        if (now - lookedUp >= LOOKED_UP.toNanos()) {
            lookedUp = now;
            scheduled.forget();
            succeeded.forget();
            failed.forget();
            deadLettered.forget();
        }
    }

    private PublishedType published(Class<? extends RetryEvent> type) {
        if (type == RetryScheduled.class) {
            return scheduled;
        }
        if (type == DeadLettered.class) {
            return deadLettered;
        }
        return type == RetryFailed.class ? failed : succeeded;
    }

    private @Nullable List<ContextListeners> contexts() {
        List<ContextListeners> known = contexts;
        if (known == null) {
            known = find();
            contexts = known;
        }
        return known;
    }

    private @Nullable List<ContextListeners> find() {
        List<ContextListeners> found = new ArrayList<>();
        for (ApplicationContext next = context; next != null; next = next.getParent()) {
            ContextListeners listeners = ContextListeners.of(next);
            if (listeners == null) {
                return null;
            }
            found.add(listeners);
        }
        return List.copyOf(found);
    }
}
