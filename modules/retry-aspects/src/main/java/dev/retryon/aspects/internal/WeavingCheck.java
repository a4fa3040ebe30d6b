// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects.internal;

import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetryWarning;
import dev.retryon.spring.module.Weaving;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Finds the methods of beans that should be retried but are not, because AspectJ has not woven them. */
public final class WeavingCheck implements Weaving {

    private static final int SHOWN = 5;

    private final Set<String> unwoven = new TreeSet<>();

    private boolean anyWoven;

    /** Whether a weaver would have woven one of the methods. */
    private boolean anyMissed;

    private boolean started;

    @Override
    public boolean isSeen(Method method) {
        return SeenAnnotations.on(method);
    }

    /** Returns whether a method is woven. Reports unwoven methods together at start-up, or immediately afterwards. */
    @Override
    public synchronized boolean isWoven(Class<?> beanClass, Method method, RetryFaults faults) {
        boolean weavable = isSeen(method);
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
