// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.check;

import java.lang.reflect.Method;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.util.ClassUtils;

/** Recognizes the mocks of Mockito, whose class may be that of the bean in whose place they are. */
final class Mocks {

    private final @Nullable Method details;

    private Mocks(@Nullable Method details) {
        this.details = details;
    }

    /** Looks for Mockito once, because most applications do not have it. */
    static Mocks in(@Nullable ClassLoader classLoader) {
        try {
            return new Mocks(
                    ClassUtils.forName("org.mockito.Mockito", classLoader).getMethod("mockingDetails", Object.class));
        } catch (ReflectiveOperationException | LinkageError ex) {
            return new Mocks(null);
        }
    }

    /** Whether a bean, or the target of its proxy, does nothing of what its class does. A spy calls the real methods. */
    boolean isMock(Object bean) {
        Object target = Objects.requireNonNullElse(AopProxyUtils.getSingletonTarget(bean), bean);
        return is("isMock", target) && !is("isSpy", target);
    }

    private boolean is(String kind, Object object) {
        if (details == null) {
            return false;
        }
        try {
            // The type that declares the question, because the class of the answer is not public.
            return Boolean.TRUE.equals(details.getReturnType().getMethod(kind).invoke(details.invoke(null, object)));
        } catch (ReflectiveOperationException | LinkageError ex) {
            return false;
        }
    }
}
