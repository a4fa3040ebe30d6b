// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects;

import dev.retryon.aspects.internal.WovenContext;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.jspecify.annotations.Nullable;

/**
 * The aspect that retries methods with {@code @RetryOn}. The methods can be self-invoked, private, protected, final or
 * static, and can belong to objects that are not beans. AspectJ must weave the aspect into their classes, and
 * {@code retryon.mode} must be {@code aspectj}. Otherwise, woven methods run without retries.
 *
 * <p>The aspect is woven into annotated methods, and into the public instance methods that an annotated class declares.
 * Annotations that contain {@code @RetryOn} have the same effect. Annotations on interfaces, superclasses and
 * overridden methods have no effect.
 *
 * <p>Spring's aspects for transactions and caching run inside this aspect, once per attempt. All other aspects run
 * outside it, once per call. Add the aspect to the {@code META-INF/aop.xml} of your application only if the application
 * does not read the {@code aop.xml} of this module:
 *
 * <pre>{@code
 * <aspect name="dev.retryon.aspects.RetryOnAspect"/>
 * }</pre>
 *
 * @since 0.1.0
 */
// An @Aspect inside this one would be left out from the third attempt on: all advice of a method shares one join
// point, whose position is wrong after advice inside has run twice. Spring's own aspects are not @Aspect classes and
// need no position.
@Aspect
@DeclarePrecedence("*, dev.retryon.aspects.RetryOnAspect,"
        + " org.springframework.transaction.aspectj..*, org.springframework.cache.aspectj..*")
public final class RetryOnAspect {

    private static final String ANNOTATION = "(dev.retryon.spring.RetryOn || dev.retryon.spring.RetryOn.List"
            + " || @dev.retryon.spring.RetryOn * || @dev.retryon.spring.RetryOn.List *)";

    private static final RetryOnAspect INSTANCE = new RetryOnAspect();

    private RetryOnAspect() {}

    /**
     * Returns the aspect. Woven code calls this method.
     *
     * @return the only instance
     */
    public static RetryOnAspect aspectOf() {
        return INSTANCE;
    }

    /**
     * Returns whether the aspect exists. AspectJ requires this method.
     *
     * @return {@code true}
     */
    public static boolean hasAspect() {
        return true;
    }

    /**
     * Runs a woven method. Woven code calls this method.
     *
     * @param execution the execution of the method
     * @return the result of the method or of its recovery
     * @throws Throwable the error with which the call ends
     */
    @Around("execution(@" + ANNOTATION + " * *(..))" + " || (execution(public !static * *(..)) && within(@" + ANNOTATION
            + " *))")
    public @Nullable Object retry(ProceedingJoinPoint execution) throws Throwable {
        return WovenContext.run(execution);
    }
}
