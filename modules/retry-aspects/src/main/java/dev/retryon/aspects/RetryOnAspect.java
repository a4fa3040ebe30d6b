// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects;

import dev.retryon.aspects.internal.WovenContext;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.jspecify.annotations.Nullable;

/**
 * The aspect that retries methods with {@code @RetryOn}, also self-invoked, private, protected, final and static ones and those
 * of objects that are not beans. It works if AspectJ weaves it into their classes and {@code retryon.mode} is {@code aspectj};
 * otherwise woven methods run without retries.
 *
 * <p>It is woven into methods with the annotation, and into the public instance methods that an annotated class declares. An
 * annotation that contains {@code @RetryOn} also counts. Annotations on interfaces, superclasses and overridden methods do not.
 *
 * <p>Spring's aspects for transactions and caching run inside it, once per attempt. All other aspects run outside it, once per
 * call. Name the aspect in {@code META-INF/aop.xml} only if your application does not read that of this module:
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
     * Returns whether the aspect exists. AspectJ expects this method of an aspect.
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
     * @throws Throwable the error of the call
     */
    @Around("execution(@" + ANNOTATION + " * *(..))" + " || (execution(public !static * *(..)) && within(@" + ANNOTATION
            + " *))")
    public @Nullable Object retry(ProceedingJoinPoint execution) throws Throwable {
        return WovenContext.run(execution);
    }
}
