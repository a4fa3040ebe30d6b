// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.RetryEvent;
import dev.retryon.spring.internal.report.ExtensionErrors;
import dev.retryon.spring.internal.settings.LookUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;

/**
 * Publishes {@link RetryEvent}s as application events, in the context and its parents. An event of a type without
 * listeners is not created.
 *
 * <p>A listener that is registered with a context receives events from then on. A listener that is added to the
 * multicaster of the context is found later: listeners are looked up again every second, on every {@value #SELDOM}th
 * question.
 */
final class RetryEventPublisher implements TelemetryListener {

    static final Duration LOOKED_UP = Duration.ofSeconds(1);

    /** The clock is read once in this many questions, because reading it takes longer than all else here. */
    static final int SELDOM = 16;

    private final ApplicationContext context;

    private final LongSupplier ticker;

    /** Approximate: threads may overwrite each other's count. */
    private int asked;

    /** The context and its parents; {@code null} until each has a multicaster. */
    private final LookUp<@Nullable List<ContextListeners>> contexts = new LookUp<>(this::find);

    private volatile @Nullable Answer answer;

    RetryEventPublisher(ApplicationContext context) {
        this(context, System::nanoTime);
    }

    RetryEventPublisher(ApplicationContext context, LongSupplier ticker) {
        this.context = context;
        this.ticker = ticker;
    }

    @Override
    public ExtensionErrors.Kind faultKind() {
        return ExtensionErrors.Kind.LISTENER;
    }

    @Override
    public boolean wants(Class<? extends RetryEvent> type) {
        List<ContextListeners> known = contexts.get();
        if (known == null) {
            return true;
        }
        Map<Class<? extends RetryEvent>, Boolean> answers = answer(known).wanted();
        Boolean wanted = answers.get(type);
        if (wanted == null) {
            // For this type alone, and without a lock: it creates listener beans that may not be ready for others.
            wanted = known.stream().anyMatch(listeners -> listeners.want(type, context));
            answers.put(type, wanted);
        }
        return wanted;
    }

    @Override
    public void onEvent(RetryEvent event) {
        if (context instanceof ConfigurableApplicationContext own && own.isClosed()) {
            return; // calls can outlast the context, whose listeners are destroyed
        }
        List<ContextListeners> known = contexts.get();
        if (known == null) {
            // The context keeps the event until it has a multicaster.
            context.publishEvent(event);
            return;
        }
        PayloadApplicationEvent<RetryEvent> published = new PayloadApplicationEvent<>(context, event);
        for (ContextListeners listeners : known) {
            listeners.send(published, event.getClass());
        }
    }

    private Answer answer(List<ContextListeners> known) {
        int count = 0;
        for (int i = 0; i < known.size(); i++) { // asked at each failure, so without an iterator
            count += known.get(i).count();
        }
        Answer latest = answer;
        if (latest == null || latest.count() != count || isOld(latest)) {
            latest = new Answer(count, ticker.getAsLong(), new ConcurrentHashMap<>());
            answer = latest;
        }
        return latest;
    }

    private boolean isOld(Answer latest) {
        return asked++ % SELDOM == 0 && ticker.getAsLong() - latest.at() >= LOOKED_UP.toNanos();
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

    /** Whether event types have listeners, by type. Valid while the number of registered listeners is {@code count}. */
    private record Answer(int count, long at, Map<Class<? extends RetryEvent>, Boolean> wanted) {}
}
