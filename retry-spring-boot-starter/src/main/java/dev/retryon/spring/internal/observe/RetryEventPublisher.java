// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.RetryEvent;
import dev.retryon.spring.internal.report.ExtensionErrors;
import java.util.ConcurrentModificationException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;

/**
 * Publishes {@link RetryEvent}s as application events, in the context and its parents. An event of a type without
 * listeners is not created: it would take longer than all else that a retry costs.
 */
final class RetryEventPublisher implements TelemetryListener {

    private final ApplicationContext context;

    private volatile Answers answers = new Answers(-1, Map.of());

    RetryEventPublisher(ApplicationContext context) {
        this.context = context;
    }

    @Override
    public ExtensionErrors.Kind faultKind() {
        return ExtensionErrors.Kind.LISTENER;
    }

    @Override
    public boolean wants(Class<? extends RetryEvent> type) {
        if (isClosed(context)) {
            return false; // calls can outlast the context, whose listeners are destroyed
        }
        int registered = registeredListeners();
        Answers known = answers;
        if (known.registered() != registered) {
            known = new Answers(registered, new ConcurrentHashMap<>());
            answers = known;
        }
        Boolean answer = known.byType().get(type);
        if (answer == null) {
            // For this type alone, and without a lock: it creates listener beans that may not be ready for others.
            answer = hasListeners(type);
            known.byType().put(type, answer);
        }
        return answer;
    }

    @Override
    public void onEvent(RetryEvent event) {
        context.publishEvent(event);
    }

    private int registeredListeners() {
        int count = 0;
        for (ApplicationContext next = context; next != null; next = next.getParent()) {
            if (next instanceof AbstractApplicationContext known) {
                count += known.getApplicationListeners().size();
            }
        }
        return count;
    }

    private boolean hasListeners(Class<? extends RetryEvent> type) {
        for (ApplicationContext next = context; next != null; next = next.getParent()) {
            if (isClosed(next)) {
                continue;
            }
            if (!(next instanceof AbstractApplicationContext known) || hasOwnMulticaster(known)) {
                return true; // events may be sent elsewhere too
            }
            try {
                if (new Listeners(known).contain(type, context)) {
                    return true;
                }
            } catch (ConcurrentModificationException ex) {
                return true; // another thread is registering a listener
            }
        }
        return false;
    }

    private static boolean isClosed(ApplicationContext context) {
        return context instanceof ConfigurableApplicationContext known && known.isClosed();
    }

    private static boolean hasOwnMulticaster(AbstractApplicationContext context) {
        String name = AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME;
        return context.containsLocalBean(name) && context.getType(name) != SimpleApplicationEventMulticaster.class;
    }

    /** Whether event types have listeners. Valid while the number of registered listeners is the same. */
    private record Answers(int registered, Map<Class<? extends RetryEvent>, Boolean> byType) {}

    /** The listeners of a context. Only subclasses of Spring's multicaster can ask who listens to a type. */
    private static final class Listeners extends SimpleApplicationEventMulticaster {

        Listeners(AbstractApplicationContext context) {
            super(context.getBeanFactory());
            context.getApplicationListeners().forEach(this::addApplicationListener);
            for (String bean : context.getBeanNamesForType(ApplicationListener.class, true, false)) {
                addApplicationListenerBean(bean);
            }
        }

        boolean contain(Class<? extends RetryEvent> type, ApplicationContext source) {
            ResolvableType event = ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, type);
            // Only the class of the source of this event is checked.
            return !getApplicationListeners(new ContextRefreshedEvent(source), event)
                    .isEmpty();
        }
    }
}
