package dev.retryon.spring.aop;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.ReflectiveMethodInvocation;

/**
 * Knows whether an advice is the last one before the target. The last one may call the target itself: that spares the
 * clone of the invocation, reflection, and the wrapping of every error in an InvocationTargetException.
 */
final class ProxyChain {

    static final String FIELD = "interceptorsAndDynamicMethodMatchers";

    /** A protected field of Spring's, part of what it offers to subclasses; without it every call takes the long way. */
    private static final @Nullable VarHandle CHAIN = chain();

    private ProxyChain() {}

    private static @Nullable VarHandle chain() {
        try {
            return MethodHandles.privateLookupIn(ReflectiveMethodInvocation.class, MethodHandles.lookup())
                    .findVarHandle(ReflectiveMethodInvocation.class, FIELD, List.class);
        } catch (ReflectiveOperationException | RuntimeException ex) {
            return null;
        }
    }

    static boolean isLast(MethodInterceptor advice, MethodInvocation invocation) {
        // A subclass may call the target in its own way.
        if (CHAIN == null || invocation.getClass() != ReflectiveMethodInvocation.class) {
            return false;
        }
        List<?> chain = (List<?>) CHAIN.get((ReflectiveMethodInvocation) invocation);
        return chain.get(chain.size() - 1) == advice;
    }
}
