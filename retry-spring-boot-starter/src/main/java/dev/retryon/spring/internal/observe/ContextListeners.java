// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.DeadLettered;
import dev.retryon.RetryEvent;
import dev.retryon.RetryFailed;
import dev.retryon.RetryScheduled;
import dev.retryon.RetrySucceeded;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;

/** The listeners for retry events in one application context. */
final class ContextListeners {

    private static final Map<Class<? extends RetryEvent>, ResolvableType> EVENTS =
            Stream.<Class<? extends RetryEvent>>of(
                            RetryScheduled.class, RetrySucceeded.class, RetryFailed.class, DeadLettered.class)
                    .collect(Collectors.toUnmodifiableMap(
                            type -> type,
                            type -> ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, type)));

    private final ApplicationContext context;

    private final ApplicationEventMulticaster multicaster;

    private ContextListeners(ApplicationContext context, ApplicationEventMulticaster multicaster) {
        this.context = context;
        this.multicaster = multicaster;
    }

    /** Returns {@code null} while the context has no multicaster, at the beginning of its start. */
    static @Nullable ContextListeners of(ApplicationContext context) {
        String name = AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME;
        return context.containsLocalBean(name)
                ? new ContextListeners(context, context.getBean(name, ApplicationEventMulticaster.class))
                : null;
    }

    /** The number of listeners of all kinds that were registered with the context. It is cheap to read. */
    int count() {
        return context instanceof AbstractApplicationContext known
                ? known.getApplicationListeners().size()
                : 0;
    }

    /** Whether a type of events from a source has listeners, which may create them; true if only the context knows. */
    boolean want(Class<? extends RetryEvent> type, ApplicationContext source) {
        // Another multicaster may send events elsewhere too.
        return !(context instanceof AbstractApplicationContext known)
                || multicaster.getClass() != SimpleApplicationEventMulticaster.class
                || new Copy(known, multicaster).hasListeners(Objects.requireNonNull(EVENTS.get(type)), source);
    }

    void send(PayloadApplicationEvent<?> event, Class<? extends RetryEvent> type) {
        multicaster.multicastEvent(event, EVENTS.get(type));
    }

    /**
     * A copy of a multicaster. Only subclasses of Spring's multicaster learn who listens to a type; a copy that is one
     * answers by the same rules.
     */
    private static final class Copy extends SimpleApplicationEventMulticaster {

        Copy(AbstractApplicationContext context, ApplicationEventMulticaster original) {
            super(context.getBeanFactory());
            // The public methods that show what a multicaster holds; these predicates let it keep everything.
            original.removeApplicationListeners(this::copied);
            original.removeApplicationListenerBeans(this::copied);
        }

        private boolean copied(ApplicationListener<?> listener) {
            addApplicationListener(listener);
            return false;
        }

        private boolean copied(String listenerBean) {
            addApplicationListenerBean(listenerBean);
            return false;
        }

        boolean hasListeners(ResolvableType type, ApplicationContext source) {
            // Only the class of the source of this event is checked.
            return !getApplicationListeners(new ContextRefreshedEvent(source), type)
                    .isEmpty();
        }
    }
}
