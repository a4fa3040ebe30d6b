/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.observe;

import dev.retryon.RetryEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.core.ResolvableType;

/**
 * A type of retry event that is published, and whether anybody listens to it. The answer is kept until the number of
 * listeners changes, or it is to be forgotten. Thread-safe.
 */
final class PublishedType {

    private final ResolvableType payload;

    private final ResolvableType event;

    private volatile @Nullable Answer answer;

    PublishedType(Class<? extends RetryEvent> type) {
        this.payload = ResolvableType.forClass(type);
        this.event = ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, type);
    }

    /** Whether anybody in a context or its parents listens to events of this type. */
    boolean isWanted(ApplicationContext source, List<ContextListeners> contexts) {
        int count = 0;
        for (int i = 0; i < contexts.size(); i++) {
            count += contexts.get(i).count();
        }
        Answer known = answer;
        if (known == null || known.count() != count) {
            known = new Answer(count, contexts.stream().anyMatch(context -> context.listenTo(event, source)));
            answer = known;
        }
        return known.wanted();
    }

    /** Has the listeners looked up again the next time. */
    void forget() {
        answer = null;
    }

    /** Publishes what a context itself would publish. */
    void send(ApplicationContext source, RetryEvent happened, List<ContextListeners> contexts) {
        PayloadApplicationEvent<RetryEvent> published = new PayloadApplicationEvent<>(source, happened, payload);
        for (int i = 0; i < contexts.size(); i++) {
            contexts.get(i).send(published, event);
        }
    }

    /**
     * The result of the check.
     *
     * @param count how many listeners there were
     * @param wanted whether one of them listens to the type
     */
    private record Answer(int count, boolean wanted) {}
}
