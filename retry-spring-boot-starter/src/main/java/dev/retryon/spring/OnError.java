// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A rule of {@link RetryOn#errors()}, which sets other values for some errors.
 *
 * <pre><code>
 * &#064;RetryOn(
 *         exceptions = IOException.class,
 *         maxAttempts = 4,
 *         errors = &#064;OnError(value = ThrottledException.class, delay = "2s", maxAttempts = 8))
 * </code></pre>
 *
 * <p>If an attempt fails with such an error, the rule overrides the settings of the method. Settings that the rule
 * omits come from the method. Rules for the same error in several layers are merged setting by setting.
 *
 * @see RetryOn
 * @since 0.1.0
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({})
public @interface OnError {

    /**
     * The exceptions to which the rule applies, thrown directly or as a cause. Subclasses are included. The method is retried
     * for them even if {@link RetryOn#exceptions()} does not list them.
     *
     * @return the types; default: none
     */
    Class<? extends Throwable>[] value() default {};

    /**
     * The error codes to which the rule applies, such as {@code http.503} or {@code sql.40001}, or a prefix that ends in
     * {@code *}, such as {@code sql.08*}. The method is retried for errors with such a code.
     *
     * @return the codes; default: none
     */
    String[] codes() default {};

    /**
     * The maximum number of attempts of a call whose latest failure matches the rule. All attempts of the call are
     * counted.
     *
     * @return the number, 1 or more; 1 means no retry. Default: the value of the method
     */
    int maxAttempts() default RetryOn.INHERIT;

    /**
     * How delays grow, as in {@link RetryOn#backoff()}.
     *
     * @return a built-in strategy, a bean or a method of this bean; default: the value of the method
     */
    String backoff() default "";

    /**
     * The base delay, for example {@code "2s"}. If the base delay is longer than the maximum delay of the method, and
     * the rule sets no maximum delay, the base delay is also the maximum delay.
     *
     * @return a duration, 0 or more; default: the value of the method
     */
    String delay() default "";

    /**
     * The multiplier, as in {@link RetryOn#multiplier()}.
     *
     * @return the multiplier, 1.0 or more; default: the value of the method
     */
    double multiplier() default Double.NaN;

    /**
     * The maximum delay, for example {@code "30s"}.
     *
     * @return a duration, at least the {@link #delay()} of this rule; default: the value of the method
     */
    String maxDelay() default "";

    /**
     * How delays are spread at random, as in {@link RetryOn#jitter()}.
     *
     * @return a jitter; default: the value of the method
     */
    String jitter() default "";

    /**
     * The number of tokens that a retry takes from the budget.
     *
     * @return the number of tokens, 0 or more; default: the value of the method
     */
    double budgetCost() default Double.NaN;
}
