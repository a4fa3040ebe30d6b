/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.kotlin

import dev.retryon.Retry
import dev.retryon.RetryBuilder
import dev.retryon.RetryPolicy
import dev.retryon.RetryPolicyBuilder
import kotlin.reflect.KClass
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/**
 * Builds a policy.
 *
 * ```
 * val patient = retryPolicy {
 *     retryOn<IOException>()
 *     maxAttempts(5)
 *     delay(200.milliseconds)
 * }
 * ```
 *
 * @param configure sets what differs from the defaults
 * @return the policy
 * @throws IllegalArgumentException if a value is bad, or contradicts another one
 * @since 0.1.0
 */
public inline fun retryPolicy(configure: RetryPolicyBuilder.() -> Unit): RetryPolicy =
    RetryPolicy.builder().apply(configure).build()

/**
 * Builds a policy from this one.
 *
 * @param configure sets what differs from this policy
 * @return another policy
 * @throws IllegalArgumentException if a value is bad, or contradicts another one
 * @since 0.1.0
 */
public inline fun RetryPolicy.with(configure: RetryPolicyBuilder.() -> Unit): RetryPolicy =
    toBuilder().apply(configure).build()

/**
 * Builds a retry with a policy of its own, on the shared engine. In a Spring application take the retry from the bean
 * `RetryRegistry` instead, which knows the application's listeners and meters and ends waits when the application stops.
 *
 * @param name what is called, for events and messages; not blank
 * @param policy sets what differs from the defaults of a policy
 * @return the retry, made once and kept; see [callSuspending] and [Retry.call]
 * @throws IllegalArgumentException if the name is blank, or a value is bad or contradicts another one
 * @since 0.1.0
 */
public inline fun retry(name: String, policy: RetryPolicyBuilder.() -> Unit): Retry =
    Retry.of(name, retryPolicy(policy))

/**
 * Builds a retry with more than a name and a policy, such as an engine, a listener or a recovery.
 *
 * @param name what is called, for events and messages; not blank
 * @param policy the policy
 * @param configure sets the rest
 * @return the retry
 * @throws IllegalArgumentException if the name is blank
 * @since 0.1.0
 */
public inline fun retry(name: String, policy: RetryPolicy, configure: RetryBuilder.() -> Unit): Retry =
    Retry.builder(name, policy).apply(configure).build()

/**
 * Adds a type to retry, by itself or as a cause.
 *
 * @param E the type
 * @return this builder
 * @since 0.1.0
 */
public inline fun <reified E : Throwable> RetryPolicyBuilder.retryOn(): RetryPolicyBuilder = retryOn(E::class)

/**
 * Adds types to retry, by themselves or as a cause.
 *
 * @param types the types
 * @return this builder
 * @since 0.1.0
 */
public fun RetryPolicyBuilder.retryOn(vararg types: KClass<out Throwable>): RetryPolicyBuilder =
    retryOn(types.map { it.java })

/**
 * Adds a type never to retry, by itself or as a cause.
 *
 * @param E the type
 * @return this builder
 * @since 0.1.0
 */
public inline fun <reified E : Throwable> RetryPolicyBuilder.exclude(): RetryPolicyBuilder = exclude(E::class)

/**
 * Adds types never to retry, by themselves or as a cause.
 *
 * @param types the types
 * @return this builder
 * @since 0.1.0
 */
public fun RetryPolicyBuilder.exclude(vararg types: KClass<out Throwable>): RetryPolicyBuilder =
    exclude(types.map { it.java })

/**
 * Adds error types that a recovery serves although they are not retried.
 *
 * @param types the types
 * @return this builder
 * @since 0.1.0
 */
public fun RetryPolicyBuilder.recoverOn(vararg types: KClass<out Throwable>): RetryPolicyBuilder =
    recoverOn(types.map { it.java })

/**
 * The base delay. Default one second.
 *
 * @param delay zero or more
 * @return this builder
 * @throws IllegalArgumentException if negative, or above a `maxDelay` set before
 * @since 0.1.0
 */
public fun RetryPolicyBuilder.delay(delay: Duration): RetryPolicyBuilder = delay(delay.toJavaDuration())

/**
 * The cap on every delay. Default five minutes, or the base delay if that is longer.
 *
 * @param maxDelay zero or more; above 24 hours it counts as 24 hours
 * @return this builder
 * @throws IllegalArgumentException if negative, or below a `delay` set before
 * @since 0.1.0
 */
public fun RetryPolicyBuilder.maxDelay(maxDelay: Duration): RetryPolicyBuilder = maxDelay(maxDelay.toJavaDuration())

/**
 * The limit for all attempts and waits together: a retry that would start after it is not made. Default none.
 *
 * @param timeout the limit; zero is none
 * @return this builder
 * @throws IllegalArgumentException if negative
 * @since 0.1.0
 */
public fun RetryPolicyBuilder.timeout(timeout: Duration): RetryPolicyBuilder = timeout(timeout.toJavaDuration())

/**
 * The limit for one attempt, which then fails with an `AttemptTimeoutException`. Suspending code is cancelled; the next
 * attempt does not wait until it has ended. Default none.
 *
 * @param attemptTimeout the limit; zero is none
 * @return this builder
 * @throws IllegalArgumentException if negative
 * @since 0.1.0
 */
public fun RetryPolicyBuilder.attemptTimeout(attemptTimeout: Duration): RetryPolicyBuilder =
    attemptTimeout(attemptTimeout.toJavaDuration())
