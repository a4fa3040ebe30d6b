// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import dev.retryon.spring.ReturnStyle;
import dev.retryon.spring.internal.declaration.BeanClasses;
import dev.retryon.spring.module.LookUp;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/** All styles in which methods return their results. */
public final class ReturnStyles {

    /** Types that Spring MVC completes or calls after the method has returned. */
    private static final List<String> OF_WEB_REQUESTS = List.of(
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask");

    private static final boolean REACTIVE =
            ClassUtils.isPresent("org.reactivestreams.Publisher", ReturnStyles.class.getClassLoader());

    private final Supplier<List<ReturnStyle>> styles;

    public ReturnStyles(Supplier<List<ReturnStyle>> styles) {
        this.styles = new LookUp<>(() -> List.copyOf(styles.get()));
    }

    /**
     * Returns the style of methods that return a {@code CompletableFuture}, {@code CompletionStage} or {@code Future}.
     *
     * @param executor waits for futures that are not stages; without an executor, or if it rejects a task, each such future
     *     has its own thread, which is virtual from Java 21 on
     */
    public static ReturnStyle futures(Supplier<? extends @Nullable Executor> executor) {
        return new FutureStyle(executor, false);
    }

    /**
     * Returns the style of methods that return publishers, and of Kotlin's {@code suspend} functions. Needs Reactor.
     *
     * @param afterEmission whether a stream that fails after an item is subscribed to again, which can repeat items
     */
    public static ReturnStyle publishers(boolean afterEmission) {
        boolean propagated = ClassUtils.isPresent(
                "io.micrometer.context.ContextSnapshotFactory", ReturnStyles.class.getClassLoader());
        return new ReactiveStyle(
                propagated ? new PropagatedThreadLocals() : ReactiveStyle.NO_THREAD_LOCALS, afterEmission, false);
    }

    /** Returns {@code null} if the method returns a plain value. */
    public @Nullable ReturnStyle of(Method method) {
        for (ReturnStyle style : styles.get()) {
            if (style.isStyleOf(method)) {
                return style;
            }
        }
        return null;
    }

    /** Returns whether a method's result can be many values, as in a {@code Flux}, so that no individual value can be checked. */
    public boolean hasManyValues(Method method) {
        ReturnStyle style = of(method);
        return style != null && style.hasManyValues(method);
    }

    /** Returns why calls to a method cannot be retried, as a sentence about its return type, or {@code null} if they can. */
    public @Nullable String fault(Method method) {
        Class<?> type = method.getReturnType();
        if (type.isPrimitive() || type == Object.class || of(method) != null) {
            return null;
        }
        if (type == Callable.class || BeanClasses.isNamed(type, OF_WEB_REQUESTS)) {
            return "returns " + type.getSimpleName()
                    + ", whose value is computed after the method has returned, too late for a retry;"
                    + " return a CompletableFuture, or annotate the method that computes the value";
        }
        if (CompletionStage.class.isAssignableFrom(type) || Future.class.isAssignableFrom(type)) {
            return cannotBeMade(type, "CompletableFuture, CompletionStage or Future");
        }
        ReactiveAdapter adapter =
                REACTIVE ? ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) : null;
        return adapter == null
                ? null
                : cannotBeMade(type, adapter.getReactiveType().getSimpleName());
    }

    private static String cannotBeMade(Class<?> type, String instead) {
        return "returns " + type.getName() + ", which RetryOn cannot create; return " + instead
                + ", or define a ReturnStyle bean for this type";
    }
}
