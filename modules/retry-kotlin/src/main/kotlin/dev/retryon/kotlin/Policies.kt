// SPDX-License-Identifier: Apache-2.0
package dev.retryon.kotlin

import dev.retryon.Retry
import dev.retryon.RetryBuilder
import dev.retryon.RetryPolicy
import dev.retryon.RetryPolicyBuilder
import kotlin.reflect.KClass
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/**
 * Builds a [RetryPolicy].
 *
 * ```
 * val patient = retryPolicy {
 *     retryOn<IOException>()
 *     maxAttempts(5)
 *     delay(200.milliseconds)
 * }
 * ```
 *
 * @param configure changes settings of the default policy
 * @return the policy
 * @throws IllegalArgumentException if a value is invalid or contradicts another value
 * @since 0.1.0
 */
public inline fun retryPolicy(configure: RetryPolicyBuilder.() -> Unit): RetryPolicy =
    RetryPolicy.builder().apply(configure).build()

/**
 * Returns a copy of this policy with changed settings.
 *
 * @param configure changes the settings
 * @return the copy
 * @throws IllegalArgumentException if a value is invalid or contradicts another value
 * @since 0.1.0
 */
public inline fun RetryPolicy.with(configure: RetryPolicyBuilder.() -> Unit): RetryPolicy =
    toBuilder().apply(configure).build()

/**
 * Builds a retry with its own policy, on the shared engine. In a Spring application, get the retry from the bean
 * `RetryRegistry` instead. Such a retry uses the listeners and meters of the application, and its delays end when the
 * application stops.
 *
 * @param name the name of the call in events and messages; not blank
 * @param policy a block that configures the policy; settings that it does not change keep their defaults
 * @return the retry, which you create once and reuse; see [callSuspending] and [Retry.call]
 * @throws IllegalArgumentException if the name is blank, or if a value is invalid or contradicts another value
 * @since 0.1.0
 */
public inline fun retry(name: String, policy: RetryPolicyBuilder.() -> Unit): Retry =
    Retry.of(name, retryPolicy(policy))

/**
 * Builds a retry with more settings, such as an engine or a listener.
 *
 * @param name the name of the call in events and messages; not blank
 * @param policy the policy
 * @param configure changes the other settings
 * @return the retry
 * @throws IllegalArgumentException if the name is blank
 * @since 0.1.0
 */
public inline fun retry(name: String, policy: RetryPolicy, configure: RetryBuilder.() -> Unit): Retry =
    Retry.builder(name, policy).apply(configure).build()

/**
 * Adds an exception type to retry. An exception matches if it, or one of its causes, has this type.
 *
 * @param E the type
 * @return this builder
 * @since 0.1.0
 */
public inline fun <reified E : Throwable> RetryPolicyBuilder.retryOn(): RetryPolicyBuilder = retryOn(E::class)

/**
 * Adds exception types to retry. An exception matches if it, or one of its causes, has one of these types.
 *
 * @param types the types
 * @return this builder
 * @since 0.1.0
 */
public fun RetryPolicyBuilder.retryOn(vararg types: KClass<out Throwable>): RetryPolicyBuilder =
    retryOn(*types.map { it.java }.toTypedArray())

/**
 * Adds an exception type that is never retried. An exception matches if it, or one of its causes, has this type.
 *
 * @param E the type
 * @return this builder
 * @since 0.1.0
 */
public inline fun <reified E : Throwable> RetryPolicyBuilder.excludes(): RetryPolicyBuilder = excludes(E::class)

/**
 * Adds exception types that are never retried. An exception matches if it, or one of its causes, has one of these
 * types.
 *
 * @param types the types
 * @return this builder
 * @since 0.1.0
 */
public fun RetryPolicyBuilder.excludes(vararg types: KClass<out Throwable>): RetryPolicyBuilder =
    excludes(*types.map { it.java }.toTypedArray())

/**
 * Adds exception types for which the recovery runs although they are not retried.
 *
 * @param types the types
 * @return this builder
 * @since 0.1.0
 */
public fun RetryPolicyBuilder.recoverOn(vararg types: KClass<out Throwable>): RetryPolicyBuilder =
    recoverOn(*types.map { it.java }.toTypedArray())

/**
 * Sets the base delay. The default is one second.
 *
 * @param delay the base delay, zero or more
 * @return this builder
 * @throws IllegalArgumentException if the delay is negative, or longer than a `maxDelay` that was set before
 * @since 0.1.0
 */
public fun RetryPolicyBuilder.delay(delay: Duration): RetryPolicyBuilder = delay(delay.toJavaDuration())

/**
 * Sets the longest delay. The default is five minutes, or the base delay if that is longer.
 *
 * @param maxDelay the maximum delay, zero or more; values above 24 hours are reduced to 24 hours
 * @return this builder
 * @throws IllegalArgumentException if the delay is negative, or shorter than a `delay` that was set before
 * @since 0.1.0
 */
public fun RetryPolicyBuilder.maxDelay(maxDelay: Duration): RetryPolicyBuilder = maxDelay(maxDelay.toJavaDuration())

/**
 * Sets the time limit for all attempts and delays together. A retry that would start after the limit does not run. By
 * default, no limit applies.
 *
 * @param timeout the limit; zero means no limit
 * @return this builder
 * @throws IllegalArgumentException if the limit is negative
 * @since 0.1.0
 */
public fun RetryPolicyBuilder.timeout(timeout: Duration): RetryPolicyBuilder = timeout(timeout.toJavaDuration())

/**
 * Sets the time limit for one attempt. An attempt that exceeds the limit fails with an `AttemptTimeoutException`.
 * Suspending code is cancelled, and the next attempt does not wait until that code has ended. By default, no limit
 * applies.
 *
 * @param attemptTimeout the limit; zero means no limit
 * @return this builder
 * @throws IllegalArgumentException if the limit is negative
 * @since 0.1.0
 */
public fun RetryPolicyBuilder.attemptTimeout(attemptTimeout: Duration): RetryPolicyBuilder =
    attemptTimeout(attemptTimeout.toJavaDuration())
