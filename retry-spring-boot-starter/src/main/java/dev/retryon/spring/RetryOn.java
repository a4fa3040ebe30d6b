/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Retries a bean's method, or all public methods of a class, when a call fails with one of the listed exceptions.
 *
 * <p>Everything that configures a method is a layer; a layer decides only what it sets. From weakest to
 * strongest: built-in defaults, {@code retryon.defaults}, annotations on interfaces, superclasses and the class,
 * annotations on overridden methods and the method itself, {@code retryon.methods}, what an operator changes while the
 * application runs, {@link Retries#with}. Stronger layers replace single values; {@code exceptions}, {@code excludes} and {@code nonRetryableErrors} add up. Several annotations
 * on one element are layers too, in declaration order; as a meta-annotation it makes annotations of your own.
 *
 * <p>All string attributes may contain <code>${…}</code> placeholders and <code>#{…}</code> expressions. What is wrong in
 * an annotation is reported when the application starts.
 *
 * @since 0.1.0
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Repeatable(RetryOn.List.class)
public @interface RetryOn {

    /** The number that means unset: a weaker layer, in the end the default, decides. */
    int INHERIT = Integer.MIN_VALUE;

    /**
     * The exceptions to retry, by themselves or as a cause; the same as {@link #exceptions()}.
     *
     * @return types that are added to those of weaker layers; if no layer has any, no error is retried
     */
    @AliasFor("exceptions")
    Class<? extends Throwable>[] value() default {};

    /**
     * The exceptions to retry, by themselves or as a cause. {@code Error}s are retried only if an {@code Error} type is
     * listed.
     *
     * @return types that are added to those of weaker layers; if no layer has any, no error is retried
     */
    @AliasFor("value")
    Class<? extends Throwable>[] exceptions() default {};

    /**
     * The exceptions never to retry, by themselves or as a cause; they beat {@link #exceptions()}.
     *
     * @return types that are added to those of weaker layers
     */
    Class<? extends Throwable>[] excludes() default {};

    /**
     * Error codes never to retry: exact, such as {@code validation.payload_invalid}, or a prefix, such as
     * {@code auth.*}.
     *
     * @return patterns that are added to those of weaker layers
     */
    String[] nonRetryableErrors() default {};

    /**
     * A named policy, {@code retryon.policies.<name>}, over which this annotation's other attributes are laid.
     *
     * @return the name; empty for none
     */
    String policy() default "";

    /**
     * What meters, events, logs and endpoints call the method.
     *
     * @return the name; by default the bean's class and the method, such as {@code PaymentService.charge}
     */
    String name() default "";

    /**
     * How many attempts there are at most, the first one included. Default 3.
     *
     * @return 1 for no retry, {@link Integer#MAX_VALUE} for until stopped; not negative
     */
    int maxAttempts() default INHERIT;

    /**
     * The same as {@link #maxAttempts()} with a placeholder or expression; wins over it.
     *
     * @return a text that resolves to a number; empty for none
     */
    String maxAttemptsString() default "";

    /**
     * Whether there are retries at all. Default {@link Flag#TRUE}.
     *
     * @return {@link Flag#FALSE} to make every failure final
     */
    Flag retryable() default Flag.INHERIT;

    /**
     * How delays grow. Default {@code exponential}.
     *
     * @return {@code none}, {@code fixed}, {@code linear}, {@code exponential}, {@code polynomial}, {@code fibonacci} or
     *     {@code decorrelated}; the name of a {@link dev.retryon.backoff.BackoffStrategy} bean; or the name of a method of
     *     this bean that takes {@code (int retry, Duration base)} or {@code (int retry, Duration base, Duration
     *     previous)} and returns a {@code Duration}
     */
    String backoff() default "";

    /**
     * The base delay. Default {@code 1s}.
     *
     * @return a duration such as {@code 500ms} or {@code PT0.5S}, a bare number is in milliseconds; not negative
     */
    String delay() default "";

    /**
     * The multiplier of exponential and the exponent of polynomial backoff. Default 2.0.
     *
     * @return at least 1.0
     */
    double multiplier() default Double.NaN;

    /**
     * The same as {@link #multiplier()} with a placeholder or expression; wins over it.
     *
     * @return a text that resolves to a number; empty for none
     */
    String multiplierString() default "";

    /**
     * The cap on every delay, applied after the backoff and again after the jitter. Default {@code 5m}.
     *
     * @return a duration, not below {@link #delay()}; above 24 hours it counts as 24 hours
     */
    String maxDelay() default "";

    /**
     * How delays are spread. Default {@code 50%}.
     *
     * @return {@code none}, {@code full}, {@code half}, {@code bounded}, a percentage such as {@code 50%}, or an addition
     *     such as {@code +3s}
     */
    String jitter() default "";

    /**
     * The limit for all attempts and waits together: no retry starts after it. Default none.
     *
     * @return a duration; zero is none
     */
    String timeout() default "";

    /**
     * The limit for one attempt. A blocking attempt that takes longer is interrupted, an asynchronous one is cancelled;
     * the attempt then fails with {@link dev.retryon.AttemptTimeoutException}, which is retried. Code that ignores
     * interruption can't be cut short. Default none.
     *
     * @return a duration; zero is none
     */
    String attemptTimeout() default "";

    /**
     * A retry budget, {@code retryon.budgets.<name>}, that all methods which name it share: it bounds the retries by the
     * number of calls, so that retries do not pile up on a service that is down.
     *
     * @return the name; empty for none
     */
    String budget() default "";

    /**
     * A gate: SpEL that must be true for a failure to be retried. The root object is the bean, whose
     * methods can be called at any visibility; variables are {@code #error}, {@code #attempt}, {@code #maxAttempts}, {@code #elapsed}, {@code #args}, {@code #p0} … and each
     * parameter by name; {@code @bean} reaches beans. A gate that throws ends the call.
     *
     * @return an expression; empty for none
     */
    String onlyIf() default "";

    /**
     * A gate: SpEL that must not be true for a failure to be retried; see {@link #onlyIf()}.
     *
     * @return an expression; empty for none
     */
    String unless() default "";

    /**
     * SpEL over the returned value, {@code #result}: if it is true, the value is a failure that is retried; the last
     * value is returned in the end.
     *
     * @return an expression; empty for none
     */
    String retryIf() default "";

    /**
     * What becomes of a call that has failed for good. Default {@link OnExhaustion#RETHROW}.
     *
     * @return {@link OnExhaustion#DEAD_LETTER} to keep the call with its arguments as a dead letter, from which it can be sent
     *     again; its caller gets the error in any case. It needs a store, and parameters that can be stored
     */
    OnExhaustion onExhaustion() default OnExhaustion.INHERIT;

    /**
     * Whether calls survive the process. Default {@link Durable#OFF}.
     *
     * @return {@link Durable#ON_FAILURE} or {@link Durable#OUTBOX}, which need a method that returns nothing, a store and
     *     parameters that can be stored
     */
    Durable durable() default Durable.INHERIT;

    /**
     * A method to call instead of throwing: {@code method} of this bean or {@code bean#method}, at any visibility. It takes
     * the original arguments (all or none), then optionally an error, then optionally a {@link dev.retryon.RetryFailure},
     * and returns what the retried method returns. Of several methods of the name the one with the nearest error type is
     * called, the one without an error parameter if none fits; if there is none either, the error is thrown. It serves
     * failures that were to be retried; others pass it by, unless {@link #recoverOn()} lists them.
     *
     * @return the method; empty for none
     */
    String recover() default "";

    /**
     * The exceptions that {@link #recover()} serves although they are not retried, by themselves or as a cause: those that
     * {@link #exceptions()} does not list, and those that {@link #excludes()} or {@link #nonRetryableErrors()} rule out. An
     * open circuit breaker's exception is one.
     *
     * @return types that are added to those of weaker layers
     */
    Class<? extends Throwable>[] recoverOn() default {};

    /**
     * The names of {@link dev.retryon.RetryListener} beans for the calls of this method, separated by commas. A bean that is
     * named somewhere receives only the events of methods that name it; all other listeners receive the events of every call.
     *
     * @return names that are added to those of weaker layers; empty for none
     */
    String listeners() default "";

    /**
     * Whether weaker annotations count: those on interfaces and superclasses, for a method also the one on its class and
     * those on methods that it overrides, and the annotations before this one on the same element.
     *
     * @return {@link Inherit#NONE} to start from the properties, for example where a base class excludes an exception that
     *     is to be retried here
     */
    Inherit inherit() default Inherit.ALL;

    /** Holds several annotations on one element. */
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
    @interface List {

        /**
         * The annotations.
         *
         * @return layers in declaration order, the last one is the strongest
         */
        RetryOn[] value();
    }
}
