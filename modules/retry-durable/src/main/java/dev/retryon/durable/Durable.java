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
 * Stores calls of a method of a bean, or of all public methods of a class, so that they survive a restart of the process.
 *
 * <pre><code>
 * &#064;RetryOn(IOException.class)
 * &#064;Durable(OUTBOX)
 * public void send(Order order) throws IOException {
 *     mailServer.send(order);
 * }
 * </code></pre>
 *
 * <p>{@code @RetryOn} configures the retries: which exceptions are retried, how often and when. Without it, and if no other
 * layer lists an exception, a call has one attempt.
 *
 * <p>The types of the parameters must be storable. With {@link DurableMode#ON_FAILURE} and {@link DurableMode#OUTBOX}, the method returns no
 * value, because a call that continues later, or in another process, cannot return a result to its caller. It returns {@code
 * void}, {@code CompletableFuture<Void>}, {@code CompletionStage<Void>} or {@code Mono<Void>}, or is a Kotlin suspend function
 * without a result.
 *
 * <p>Settings come from the same layers as those of {@link RetryOn}: the attributes are also properties, such as {@code
 * retryon.defaults.durable.lane}, and a stronger layer replaces them one by one. You can also use this annotation as a
 * meta-annotation. All string attributes can contain <code>${…}</code> placeholders and <code>#{…}</code> expressions.
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
     * When a call is stored, for example {@code @Durable(OUTBOX)}.
     *
     * @return the mode; default: {@link DurableMode#OFF}
     */
    DurableMode value() default DurableMode.INHERIT;

    /**
     * The lane of stored calls, for example {@code lane = "mail"} for a lane of {@code retryon.durable.lanes.mail}. Calls of a
     * lane with its own threads do not wait for calls of other lanes. With {@link DurableMode#ON_EXHAUSTION}, only resent calls
     * have a lane.
     *
     * @return the name of a lane, or {@code default}; default: empty, which means the default lane
     */
    String lane() default "";

    /**
     * A SpEL expression over the arguments, for example {@code uniqueKey = "#order.id"}. While a call of the method is
     * stored, another one with the same value is not. Values are compared as text. If the value is {@code null} or the
     * expression throws an exception, the call is stored. It has no effect with {@link DurableMode#ON_EXHAUSTION}.
     *
     * @return an expression as in {@link RetryOn#budgetKey()}; default: empty, which means that all calls are stored
     */
    String uniqueKey() default "";

    /**
     * A SpEL expression over the arguments, for example {@code orderKey = "#order.id"}. Calls with the same value run one after
     * another, in the order in which their transactions committed. Values are compared as text. If the value is {@code null} or
     * the expression throws an exception, the call fails and is not stored. Only for {@link DurableMode#OUTBOX}, and not together
     * with {@link #uniqueKey()}.
     *
     * @return an expression as in {@link RetryOn#budgetKey()}; default: empty, which means no order
     */
    String orderKey() default "";

    /**
     * The group in which equal values of {@link #orderKey()} are one key, for example {@code orderGroup = "orders"} on several
     * methods. It has no effect without {@code orderKey}.
     *
     * @return the name of a group; default: empty, which means a group for each method
     */
    String orderGroup() default "";

    /**
     * Whether the calls behind a call that has failed permanently stay blocked. It has no effect without {@link #orderKey()}.
     *
     * @return the action; default: {@link WhenBlocked#STOP}
     */
    WhenBlocked whenBlocked() default WhenBlocked.INHERIT;

    /**
     * How long a call waits before its first attempt, for example {@code initialDelay = "1h"}. It has no effect unless the mode
     * is {@link DurableMode#OUTBOX}. {@code Retries.with(settings -> settings.set("durable.initial-delay", "2h"))} sets it for
     * one call.
     *
     * @return a duration of zero or more; default: empty, which means no wait
     */
    String initialDelay() default "";

    /**
     * Whether a call that has failed permanently is kept as a dead letter.
     *
     * @return the action; default: {@link WhenFailed#KEEP}
     */
    WhenFailed whenFailed() default WhenFailed.INHERIT;
}
