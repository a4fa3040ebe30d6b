// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.spring.module.ExtensionErrors;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.ApplicationListenerMethodAdapter;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;

/** Publishes {@link RetryEvent}s. Skips types without listeners, because publishing takes longer than the rest of a retry. */
public final class RetryEventPublisher implements RetryListener {

    private final ApplicationContext context;

    private final ExtensionErrors errors;

    private volatile @Nullable Listeners listeners;

    public RetryEventPublisher(ApplicationContext context, ExtensionErrors errors) {
        this.context = context;
        this.errors = errors;
    }

    @Override
    public void onEvent(RetryEvent event) {
        if (context instanceof ConfigurableApplicationContext own && own.isClosed()) {
            return; // calls can outlast the context, whose listeners are destroyed
        }
        Listeners known = listeners(false);
        if (known != null && !known.contain(event.getClass())) {
            return;
        }
        Listeners receiving = listeners(true);
        if (receiving == null) {
            context.publishEvent(event);
        } else {
            receiving.send(event);
        }
    }

    /**
     * Returns the listeners. Returns {@code null} if the context must publish the event, because it stores events until it
     * has a multicaster, and the application can define its own multicaster.
     *
     * @param exactly whether to notice that a listener was replaced; otherwise only their number is compared
     */
    private @Nullable Listeners listeners(boolean exactly) {
        if (!(context instanceof AbstractApplicationContext own)) {
            return null;
        }
        Listeners known = listeners;
        try {
            if (known == null
                    || known.registered.size() != own.getApplicationListeners().size()
                    || (exactly && !known.registered.equals(List.copyOf(own.getApplicationListeners())))) {
                known = hasDefaultMulticaster(own) ? new Listeners(own, errors) : null;
                listeners = known;
            }
            return known;
        } catch (RuntimeException ex) {
            return null; // another thread is registering a listener, and the set of listeners is not thread-safe
        }
    }

    private static boolean hasDefaultMulticaster(AbstractApplicationContext context) {
        String name = AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME;
        Object multicaster = context.getBeanFactory().getSingleton(name);
        return multicaster != null
                && multicaster.getClass() == SimpleApplicationEventMulticaster.class
                && !context.getBeanFactory().containsBeanDefinition(name);
    }

    /** The listeners of a context. If one throws an exception, the others still receive the event. */
    private static final class Listeners extends SimpleApplicationEventMulticaster {

        private final AbstractApplicationContext context;

        private final List<ApplicationListener<?>> registered;

        private final ExtensionErrors errors;

        /** The names of listener beans, whose definitions can be removed. */
        private final IdentityHashMap<Object, String> beans = new IdentityHashMap<>();

        private final Map<Class<? extends RetryEvent>, Boolean> types = new ConcurrentHashMap<>();

        Listeners(AbstractApplicationContext context, ExtensionErrors errors) {
            super(context.getBeanFactory());
            this.context = context;
            this.registered = List.copyOf(context.getApplicationListeners());
            this.errors = errors;
            registered.forEach(this::addApplicationListener);
            for (String bean : context.getBeanNamesForType(ApplicationListener.class, true, false)) {
                addApplicationListenerBean(bean);
                Object listener = context.getBeanFactory().getSingleton(bean);
                if (listener != null) {
                    beans.put(listener, bean);
                }
            }
        }

        boolean contain(Class<? extends RetryEvent> type) {
            Boolean known = types.get(type);
            if (known == null) {
                // Only for this type and without a lock, because the look-up creates listener beans, and the
                // listeners of other types might not be ready.
                ResolvableType event = ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, type);
                // Only the class of the event's source is checked.
                known = !getApplicationListeners(new ContextRefreshedEvent(context), event)
                        .isEmpty();
                types.put(type, known);
            }
            return known;
        }

        private static String name(ApplicationListener<?> listener) {
            // The text of an @EventListener names its method. Other texts could throw an exception.
            return listener instanceof ApplicationListenerMethodAdapter
                    ? listener.toString()
                    : listener.getClass().getName();
        }

        void send(RetryEvent event) {
            PayloadApplicationEvent<RetryEvent> published = new PayloadApplicationEvent<>(context, event);
            for (ApplicationListener<?> listener : getApplicationListeners(published, published.getResolvableType())) {
                String bean = beans.get(listener);
                if (bean != null && !context.containsBean(bean)) {
                    continue;
                }
                try {
                    invokeListener(listener, published);
                } catch (Throwable ex) {
                    errors.report(
                            ExtensionErrorListener.Kind.LISTENER,
                            event.name(),
                            "the application event listener " + name(listener) + " failed; the call continues",
                            ex);
                }
            }
        }
    }
}
