// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Retries a method of a bean, or all public methods of a class, if a call fails with one of the listed exceptions.
 *
 * <pre><code>
 * &#064;RetryOn(exceptions = IOException.class, maxAttempts = 5, delay = "200ms", recover = "fromCache")
 * public Price price(String item) throws IOException {
 *     return partner.price(item);
 * }
 *
 * Price fromCache(String item, IOException error) {
 *     return cache.get(item);
 * }
 * </code></pre>
 *
 * <p>Only {@link #exceptions()} (or {@link #errors()} or {@link #retryIf()}) is required. If none of them is set,
 * nothing is retried. A call must go through the bean's proxy, so a method is not retried if another method of the same
 * bean calls it.
 *
 * <p>Settings come from layers. The weakest layer contains the built-in defaults. The next layers are
 * {@code retryon.defaults}, annotations on interfaces, superclasses and the class, and annotations on overridden
 * methods and on the method itself. The strongest layers are {@code retryon.methods}, then changes at run time, and
 * then {@link Retries#with}. A stronger layer replaces only the values that it sets. However, four lists are combined
 * across all layers: {@code exceptions}, {@code excludes}, {@code nonRetryableErrors} and {@code recoverOn}. The rules in
 * {@code errors} are also combined. If an element has several annotations, each of them is a layer, in declaration order. You
 * can also use this annotation as a meta-annotation.
 *
 * <p>All string attributes can contain <code>${…}</code> placeholders and <code>#{…}</code> expressions. Write a
 * duration as {@code 500ms}, {@code 2s}, {@code 5m} or {@code PT0.5S}; a number without a unit is in milliseconds.
 * Faults in an annotation are reported when the application starts.
 *
 * @see Retries
 * @see RetryRegistry
 * @since 0.1.0
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Repeatable(RetryOn.List.class)
public @interface RetryOn {

    /** Means that a numeric attribute is not set. The value of a weaker layer applies, or else the default. */
    int INHERIT = Integer.MIN_VALUE;

    /**
     * The exceptions to retry, for example {@code @RetryOn(IOException.class)}. This attribute is a short form of
     * {@link #exceptions()}; set only one of the two.
     *
     * @return the types; default: none
     */
    Class<? extends Throwable>[] value() default {};

    /**
     * The exceptions to retry, thrown directly or as a cause. Subclasses are included. An {@code Error} is retried only
     * if an {@code Error} type is listed, and the exception of an open circuit breaker only if exactly its type is
     * listed. If no layer lists an exception, no exception is retried.
     *
     * @return the types, added to the types of weaker layers; default: none
     */
    Class<? extends Throwable>[] exceptions() default {};

    /**
     * The exceptions that are never retried, thrown directly or as a cause. Subclasses are included. This list overrides
     * {@link #exceptions()}.
     *
     * @return the types, added to the types of weaker layers; default: none
     */
    Class<? extends Throwable>[] excludes() default {};

    /**
     * The error codes that are never retried. An entry is an exact code, such as {@code validation.payload_invalid}, or a
     * prefix that ends in {@code *}, such as {@code auth.*}. An error has a code if it implements {@link
     * dev.retryon.RetryHint}, or if a {@link dev.retryon.RetryHintResolver} bean knows it.
     *
     * @return the codes, added to the codes of weaker layers; default: none
     */
    String[] nonRetryableErrors() default {};

    /**
     * Rules with other settings for some errors, for example {@code errors = @OnError(value = ThrottledException.class,
     * delay = "2s")}. The method is also retried for these errors, unless {@link #excludes()} or
     * {@link #nonRetryableErrors()} contains them.
     *
     * @return the rules, merged with the rules of weaker layers; default: none
     */
    OnError[] errors() default {};

    /**
     * The name of a policy in {@code retryon.policies}. For example, {@code policy = "payments"} applies
     * {@code retryon.policies.payments.*}. The other attributes of this annotation override the policy.
     *
     * @return the name of an existing policy; default: empty, which means no policy
     */
    String policy() default "";

    /**
     * The name of the method in meters, events, logs and endpoints, for example {@code "charge-card"}.
     *
     * @return the name; default: the simple class name and the method, such as {@code PaymentService.charge}
     */
    String name() default "";

    /**
     * The maximum number of attempts, including the first one.
     *
     * @return the number, 1 or more; 1 means no retry, and {@link Integer#MAX_VALUE} means no limit. 0 counts as 1.
     *     Default: 3
     */
    int maxAttempts() default INHERIT;

    /**
     * The maximum number of attempts as text, which can contain a placeholder or an expression, such as
     * <code>"${payments.attempts}"</code>. Overrides {@link #maxAttempts()}.
     *
     * @return a string that resolves to a whole number within the same bounds; default: empty, which means not set
     */
    String maxAttemptsString() default "";

    /**
     * Whether to retry at all. The first attempt always runs.
     *
     * @return {@link Flag#FALSE} to disable retries; default: {@link Flag#TRUE}
     */
    Flag retryable() default Flag.INHERIT;

    /**
     * How delays grow. In the table, <i>d</i> is the base delay ({@link #delay()}), <i>m</i> is the multiplier
     * ({@link #multiplier()}), and <i>n</i> is the number of the retry, starting at 1:
     *
     * <table>
     * <caption>Built-in strategies</caption>
     * <tr><th>name</th><th>delay before retry n</th></tr>
     * <tr><td>{@code none}</td><td>no delay</td></tr>
     * <tr><td>{@code fixed}</td><td>always d</td></tr>
     * <tr><td>{@code linear}</td><td>d·n: d, 2d, 3d …</td></tr>
     * <tr><td>{@code exponential}</td><td>d·m^(n−1): d, 2d, 4d … if m is 2</td></tr>
     * <tr><td>{@code polynomial}</td><td>d·n^m: d, 4d, 9d … if m is 2</td></tr>
     * <tr><td>{@code fibonacci}</td><td>d, d, 2d, 3d, 5d, 8d …</td></tr>
     * <tr><td>{@code decorrelated}</td><td>random, from d to three times the previous delay; best without jitter</td></tr>
     * </table>
     *
     * <p>The value can also be the name of a {@link dev.retryon.backoff.BackoffStrategy} bean, or the name of a method
     * of this bean. The method has the parameters {@code (int retry, Duration base)} or
     * {@code (int retry, Duration base, Duration previous)}, and returns a {@code Duration}.
     *
     * @return a built-in strategy, a bean or a method of this bean; default: {@code exponential}
     */
    String backoff() default "";

    /**
     * The base delay, for example {@code "500ms"}. {@link #backoff()} computes each delay from it.
     *
     * @return a duration, 0 or more; 0 means no delay. More than 24 hours counts as 24 hours. Default: {@code 1s}
     */
    String delay() default "";

    /**
     * The factor of {@code exponential} backoff, and the exponent of {@code polynomial} backoff. Other strategies
     * ignore the multiplier.
     *
     * @return the multiplier, 1.0 or more; default: 2.0
     */
    double multiplier() default Double.NaN;

    /**
     * The multiplier as text, which can contain a placeholder or an expression, such as
     * <code>"${payments.multiplier}"</code>. Overrides {@link #multiplier()}.
     *
     * @return a string that resolves to a number of at least 1.0; default: empty, which means not set
     */
    String multiplierString() default "";

    /**
     * The maximum delay, for example {@code "30s"}. The limit is applied after the backoff and again after the jitter.
     *
     * @return a duration, at least {@link #delay()}; more than 24 hours counts as 24 hours. Default: {@code 5m}, or
     *     {@link #delay()} if that is longer
     */
    String maxDelay() default "";

    /**
     * How delays are spread at random. Without jitter, callers that failed together would also retry together. A delay
     * <i>x</i> becomes:
     *
     * <table>
     * <caption>Jitter</caption>
     * <tr><th>value</th><th>delay</th></tr>
     * <tr><td>{@code none}</td><td>x</td></tr>
     * <tr><td>{@code full}</td><td>from 0 to x</td></tr>
     * <tr><td>{@code half}</td><td>from x/2 to x</td></tr>
     * <tr><td>{@code bounded}</td><td>from x to 2x</td></tr>
     * <tr><td>{@code 50%}</td><td>up to 50 % shorter or longer; any percentage up to {@code 100%}</td></tr>
     * <tr><td>{@code +3s}</td><td>up to 3 seconds longer; any duration</td></tr>
     * </table>
     *
     * @return one of these values; default: {@code 50%}
     */
    String jitter() default "";

    /**
     * The time limit for all attempts and waits together, for example {@code "10s"}. No retry starts after this limit.
     * A running attempt is not interrupted; see {@link #attemptTimeout()}.
     *
     * @return a duration, 0 or more; 0 means no limit. Default: no limit
     */
    String timeout() default "";

    /**
     * The time limit for one attempt, for example {@code "2s"}. If an attempt takes longer, the thread of a blocking
     * attempt is interrupted, and an asynchronous attempt is cancelled. The attempt fails with
     * {@link dev.retryon.AttemptTimeoutException} and is retried. Code that ignores the interruption continues to run.
     *
     * @return a duration, 0 or more; 0 means no limit. Default: no limit
     */
    String attemptTimeout() default "";

    /**
     * The name of a retry budget in {@code retryon.budgets}, for example {@code budget = "search"}. A budget limits
     * retries to a share of the calls, which prevents retries from overloading a service that is down. All methods that
     * name the same budget share it.
     *
     * @return {@code default} or the name of an existing budget; default: empty, which means no budget
     */
    String budget() default "";

    /**
     * A SpEL expression that divides the {@link #budget()}, for example {@code budgetKey = "#tenant"}. Each value has
     * its own tokens. One tenant therefore cannot use up the retries of other tenants. Only the 1,000 most recently used
     * values are kept. The expression can use the bean and its methods, {@code #args}, {@code #p0} … and each parameter
     * by name. If the value is {@code null} or the expression throws an exception, the call uses the undivided budget.
     *
     * @return an expression over the arguments; default: empty, which means that the budget is not divided
     */
    String budgetKey() default "";

    /**
     * The number of tokens that a retry takes from the {@link #budget()}. It has no effect without a budget.
     *
     * @return the number of tokens, 0 or more; default: 1
     */
    double budgetCost() default Double.NaN;

    /**
     * A gate: a SpEL expression that must be true for a failure to be retried, for example
     * {@code onlyIf = "#error.statusCode.is5xxServerError()"} or {@code onlyIf = "isTransient(#error)"}. The root
     * object is the bean, and the expression can call its methods even if they are private. The variables are
     * {@code #error}, {@code #attempt}, {@code #maxAttempts}, {@code #elapsed}, {@code #args}, {@code #p0} … and each
     * parameter by name. Other beans are available as {@code @bean}. If a gate throws an exception, the failure is not
     * retried.
     *
     * @return an expression that returns a boolean; default: empty, which means no gate
     */
    String onlyIf() default "";

    /**
     * A gate: a SpEL expression that must not be true for a failure to be retried, for example
     * {@code unless = "#express"}. It can use the same variables as {@link #onlyIf()}.
     *
     * @return an expression that returns a boolean; default: empty, which means no gate
     */
    String unless() default "";

    /**
     * A SpEL expression over the returned value, for example {@code retryIf = "#result == 'pending'"}. If the
     * expression is true, the value counts as a failure and is retried. If all retries fail, the caller receives the
     * last value.
     *
     * @return an expression over {@code #result} that returns a boolean; default: empty, which means no value is
     *     retried
     */
    String retryIf() default "";

    /**
     * The recovery method, which is called instead of throwing the exception to the caller. Write
     * {@code recover = "fromCache"} for a method of this bean, or {@code recover = "cache#lookup"} for a method of
     * another bean. The method can have any visibility.
     *
     * <p>The recovery method has all or none of the original parameters, followed by an optional error and an optional
     * {@link dev.retryon.RetryContext}. It returns the type that the retried method returns. If several methods have
     * this name, RetryOn calls the method with the nearest error type, or, if none matches, the method without an error
     * parameter. If none of these methods fits, the error is thrown.
     *
     * <p>The recovery method is not called for exceptions that are not retried, unless {@link #recoverOn()} lists them.
     *
     * @return {@code method} or {@code bean#method}; default: empty, which means no recovery
     */
    String recover() default "";

    /**
     * The method to call after each wait and before the next attempt, for example to fetch a new token. Write
     * {@code beforeRetry = "refreshToken"} for a method of this bean, or {@code beforeRetry = "tokens#refresh"} for a
     * method of another bean. The method can have any visibility. It is not called before the first attempt.
     *
     * <p>The method has all or none of the original parameters, followed by an optional error of the previous attempt
     * and an optional {@link dev.retryon.RetryContext}. The method must complete its work before it returns. Its return
     * value is ignored. If several methods have this name, one is chosen as for {@link #recover()}. If none of these
     * methods fits, no method is called.
     *
     * <p>If the method throws an exception, the call ends with that exception. The duration of the method counts
     * towards {@link #timeout()}, but not towards {@link #attemptTimeout()}.
     *
     * @return {@code method} or {@code bean#method}; default: empty, which means that no method is called
     */
    String beforeRetry() default "";

    /**
     * The exceptions that {@link #recover()} handles although they are not retried, thrown directly or as a cause. An
     * example is the exception of an open circuit breaker. You can list an exception here whether it is missing in
     * {@link #exceptions()} or excluded by {@link #excludes()} or {@link #nonRetryableErrors()}.
     *
     * @return the types, added to the types of weaker layers; default: none
     */
    Class<? extends Throwable>[] recoverOn() default {};

    /**
     * Whether weaker annotations apply. Annotations on interfaces and superclasses are weaker, and so are annotations
     * before this annotation on the same element. For a method, annotations on its class and on methods that it overrides are
     * also weaker. Use {@link Inherit#NONE} to start from the properties, for example if a base class excludes an
     * exception that this method needs to retry.
     *
     * @return the annotations that apply; default: {@link Inherit#ALL}
     */
    Inherit inherit() default Inherit.ALL;

    /** Contains several {@link RetryOn} annotations on one element. */
    @Documented
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
    @interface List {

        /**
         * Returns the annotations on the element.
         *
         * @return the layers in declaration order; the last one is the strongest
         */
        RetryOn[] value();
    }
}
