// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.spring.internal.report.ExtensionErrors;
import dev.retryon.spring.internal.settings.LookUp;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The listener beans that settings name. They receive the events of the methods that name them; all other listener
 * beans receive the events of every call. Beans are looked up when the first event is due. Thread-safe.
 */
public final class NamedListeners {

    /** The prefix of the names of RetryOn's listeners, which receive the events of every call. */
    private static final String OWN = "retryOn";

    private final ConfigurableListableBeanFactory beanFactory;

    private final ExtensionErrors faults;

    private final UnaryOperator<RetryListener> guard;

    private final Map<String, Named> named = new ConcurrentHashMap<>();

    public NamedListeners(
            ConfigurableListableBeanFactory beanFactory, ExtensionErrors faults, UnaryOperator<RetryListener> guard) {
        this.beanFactory = beanFactory;
        this.faults = faults;
        this.guard = guard;
    }

    /**
     * Limits a listener bean that methods name to the calls of those methods. A bean that no method names receives
     * the events of every call.
     *
     * @param guarded the same listener, guarded
     */
    public RetryListener forEveryCall(RetryListener bean, RetryListener guarded) {
        return new RetryListener() {

            @Override
            public boolean wants(Class<? extends RetryEvent> type) {
                return !isNamed(bean) && guarded.wants(type);
            }

            @Override
            public void onEvent(RetryEvent event) {
                guarded.onEvent(event);
            }
        };
    }

    /**
     * Returns the listeners that a method names. For each bean there is one listener, which all methods share.
     *
     * @throws IllegalArgumentException with a sentence about the one that cannot be used
     */
    List<RetryListener> named(Set<String> wanted) {
        wanted.forEach(this::check);
        return wanted.stream().<RetryListener>map(this::shared).toList();
    }

    private Named shared(String name) {
        Named made = new Named(name);
        Named other = named.putIfAbsent(name, made);
        return other != null ? other : made;
    }

    private void check(String name) {
        if (name.startsWith(OWN) || !beanFactory.containsBean(name)) {
            Set<String> known = new TreeSet<>(List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(
                    beanFactory, RetryListener.class, false, false)));
            known.removeIf(other -> other.startsWith(OWN));
            throw new IllegalArgumentException("there is no RetryListener bean '" + name + "'; use one of " + known);
        }
        if (!beanFactory.isTypeMatch(name, RetryListener.class)) {
            Class<?> type = beanFactory.getType(name, false);
            throw new IllegalArgumentException(
                    "bean '" + name + "' is not a RetryListener" + (type == null ? "" : ", it is a " + type.getName()));
        }
        if (!beanFactory.isSingleton(name)) {
            throw new IllegalArgumentException("the RetryListener bean '" + name + "' is not a singleton");
        }
    }

    private boolean isNamed(RetryListener bean) {
        for (Named listener : named.values()) {
            if (listener.bean.get() == bean) {
                return true;
            }
        }
        return false;
    }

    /** Returns the bean of a name; {@code null} if it can't be created now. */
    private @Nullable RetryListener find(String name) {
        try {
            return beanFactory.getBean(name, RetryListener.class);
        } catch (Throwable ex) {
            faults.report(
                    ExtensionErrors.Kind.LISTENER,
                    name,
                    "the retry listener bean can't be created and receives no event; the call continues",
                    ex);
            return null;
        }
    }

    /** A listener bean that methods name. */
    private final class Named implements RetryListener {

        private final LookUp<@Nullable RetryListener> bean;

        private final LookUp<@Nullable RetryListener> guarded;

        Named(String name) {
            this.bean = new LookUp<>(() -> find(name));
            this.guarded = new LookUp<>(() -> {
                RetryListener found = bean.get();
                return found == null ? null : guard.apply(found);
            });
        }

        @Override
        public boolean wants(Class<? extends RetryEvent> type) {
            RetryListener listener = guarded.get();
            return listener != null && listener.wants(type);
        }

        @Override
        public void onEvent(RetryEvent event) {
            RetryListener listener = guarded.get();
            if (listener != null) {
                listener.onEvent(event);
            }
        }
    }
}
