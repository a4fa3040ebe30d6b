// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Stores the calls of a bean's method, or of all public methods of a class. Stored calls survive a restart of the
 * process.
 *
 * <pre><code>
 * &#064;RetryOn(IOException.class)
 * &#064;Durable(OUTBOX)
 * public void send(Order order) throws IOException {
 *     mailServer.send(order);
 * }
 * </code></pre>
 *
 * <p>{@code @RetryOn} configures which exceptions are retried, how often and when. Without {@code @RetryOn}, a call has
 * one attempt, unless another layer lists an exception.
 *
 * <p>The types of the parameters must be storable. With {@link DurableMode#ON_FAILURE} and {@link DurableMode#OUTBOX},
 * the method must not return a value, because a call that continues later, or in another process, cannot return a
 * result to its caller. The method returns {@code void}, {@code CompletableFuture<Void>}, {@code CompletionStage<Void>}
 * or {@code Mono<Void>}, or is a Kotlin suspend function without a result.
 *
 * <p>The layers of settings are the same as for {@link RetryOn}. Each attribute is also a property, such as
 * {@code retryon.defaults.durable.lane}, and a stronger layer replaces only the attributes that it sets. You can also
 * use this annotation as a meta-annotation. All string attributes can contain <code>${…}</code> placeholders and
 * <code>#{…}</code> expressions.
 *
 * @see Retries
 * @since 0.1.0
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@RetryOn
public @interface Durable {

    /**
     * Defines when a call is stored, for example {@code @Durable(OUTBOX)}.
     *
     * @return the mode; default: {@link DurableMode#OFF}
     */
    DurableMode value() default DurableMode.INHERIT;

    /**
     * The lane of stored calls. For example, {@code lane = "mail"} selects the lane {@code retryon.durable.lanes.mail}.
     * Calls in a lane with its own threads do not wait for calls in other lanes. With
     * {@link DurableMode#ON_EXHAUSTION}, only resent calls have a lane.
     *
     * @return the name of a lane, or {@code default}; default: empty, which means the default lane
     */
    String lane() default "";

    /**
     * A SpEL expression over the arguments, for example {@code uniqueKey = "#order.id"}. While a call of the method is
     * stored, another call with the same value is not stored. Values are compared as text. If the value is {@code null}
     * or the expression throws an exception, the call is always stored. This setting has no effect with
     * {@link DurableMode#ON_EXHAUSTION}.
     *
     * @return an expression as in {@link RetryOn#budgetKey()}; default: empty, which means that all calls are stored
     */
    String uniqueKey() default "";

    /**
     * A SpEL expression over the arguments, for example {@code orderKey = "#order.id"}. Calls with the same value run
     * one after another, in the order in which their transactions committed. Values are compared as text. If the value
     * is {@code null} or the expression throws an exception, the call fails and is not stored. This setting requires
     * {@link DurableMode#OUTBOX} and cannot be combined with {@link #uniqueKey()}.
     *
     * @return an expression as in {@link RetryOn#budgetKey()}; default: empty, which means no order
     */
    String orderKey() default "";

    /**
     * The group of methods that share the values of {@link #orderKey()}, for example {@code orderGroup = "orders"} on
     * several methods. This setting has no effect without {@code orderKey}.
     *
     * @return the name of a group; default: empty, which means that each method is a separate group
     */
    String orderGroup() default "";

    /**
     * Whether later calls with the same order key stay blocked if a call fails permanently. This setting has no effect
     * without {@link #orderKey()}.
     *
     * @return the action; default: {@link WhenBlocked#STOP}
     */
    WhenBlocked whenBlocked() default WhenBlocked.INHERIT;

    /**
     * How long a call waits before its first attempt, for example {@code initialDelay = "1h"}. This setting has no
     * effect unless the mode is {@link DurableMode#OUTBOX}. To set the delay of one call, use
     * {@code Retries.with(settings -> settings.set("durable.initial-delay", "2h"))}.
     *
     * @return a duration of zero or more; default: empty, which means no delay
     */
    String initialDelay() default "";

    /**
     * Whether a call that has failed permanently is kept as a dead letter.
     *
     * @return the action; default: {@link WhenFailed#KEEP}
     */
    WhenFailed whenFailed() default WhenFailed.INHERIT;
}
