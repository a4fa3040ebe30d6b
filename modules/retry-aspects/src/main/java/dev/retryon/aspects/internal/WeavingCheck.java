// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects.internal;

import dev.retryon.spring.Place;
import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetryWarning;
import dev.retryon.spring.module.SettingGroup;
import dev.retryon.spring.module.SettingSource;
import dev.retryon.spring.module.Weaving;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.KotlinDetector;

/** Checks whether AspectJ has woven the methods that should be retried, and whether calls of woven methods can run. */
public final class WeavingCheck implements Weaving {

    private static final int SHOWN = 5;

    private static final String SUSPEND_FUNCTION =
            "is a suspend function, which an aspect cannot retry; set retryon.mode=proxy, or use retry-kotlin";

    private final ListableBeanFactory beanFactory;

    private final Set<RetriedMethod> ofBeans = ConcurrentHashMap.newKeySet();

    private final Set<String> unwoven = new TreeSet<>();

    private boolean anyWoven;

    /** Whether a weaver would have woven one of the methods. */
    private boolean anyMissed;

    private boolean started;

    /** Creates a check for the beans of a context. */
    public WeavingCheck(ListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    /** Returns whether a method is woven. Reports unwoven methods together at start-up, or immediately afterwards. */
    @Override
    public synchronized boolean isWoven(Class<?> beanClass, Method method, RetryFaults faults) {
        boolean weavable = SeenAnnotations.on(method);
        if (weavable && KotlinDetector.isSuspendingFunction(method)) {
            faults.add(Place.code(SettingSource.name(method)), SUSPEND_FUNCTION);
            return false;
        }
        if (weavable && WovenBodies.has(method)) {
            anyWoven = true;
            return true;
        }
        anyMissed |= weavable;
        unwoven.add(beanClass.getName() + "." + method.getName());
        if (started) {
            warn(faults);
        }
        return false;
    }

    @Override
    public @Nullable String obstacleOnBean(RetriedMethod method) {
        ofBeans.add(method);
        return obstacle(method);
    }

    /** Returns why calls to a woven method cannot run as its settings require, or {@code null} if they can. */
    @Nullable String obstacle(RetriedMethod method) {
        if (KotlinDetector.isSuspendingFunction(method.method())) {
            return SUSPEND_FUNCTION;
        }
        if (method.settings().storing() == SettingGroup.Storing.NONE) {
            return null;
        }
        int modifiers = method.method().getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
            return "is private or static, but a stored call runs through its bean; make it an instance method that is"
                    + " not private, or do not store its calls";
        }
        return ofBeans.contains(method) || beanFactory.getBeanNamesForType(method.beanClass(), true, false).length > 0
                ? null
                : "is called on an object that is not a bean, but a stored call needs a bean; make the object a bean,"
                        + " or do not store its calls";
    }

    @Override
    public synchronized void complete(RetryFaults faults) {
        started = true;
        if (unwoven.isEmpty()) {
            return;
        }
        if (anyWoven || !anyMissed) {
            warn(faults);
        } else {
            faults.add(
                    "retryon.mode",
                    "is 'aspectj', but AspectJ has woven none of the retried methods (" + names()
                            + "); start the JVM with"
                            + " -javaagent:aspectjweaver.jar, compile with the AspectJ compiler and retry-aspects as an"
                            + " aspect library, or set retryon.mode=proxy");
        }
    }

    private void warn(RetryFaults faults) {
        faults.warn(
                RetryWarning.NOT_RETRIED,
                "AspectJ has not woven " + names() + ", so retryon.mode=aspectj does not retry it; put @RetryOn on the"
                        + " method or its class, not on an interface or a base class, and weave that class."
                        + " The container of a repeatable annotation also needs @RetryOn.");
        unwoven.clear();
    }

    private String names() {
        String names = unwoven.stream().limit(SHOWN).collect(Collectors.joining(", "));
        return unwoven.size() > SHOWN ? names + " and " + (unwoven.size() - SHOWN) + " more" : names;
    }
}
