/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.kotlin

import dev.retryon.AttemptScope
import dev.retryon.Retry
import dev.retryon.RetryCallable
import dev.retryon.RetryContext
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.ThreadContextElement
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.future.await
import kotlinx.coroutines.isActive
import kotlinx.coroutines.launch
import java.util.concurrent.CompletableFuture
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext

/**
 * Calls suspending code, and retries what fails. The wait suspends the coroutine and holds no thread.
 *
 * Each attempt runs in the coroutine's own context, and [RetryContext.current] finds the call on whatever thread the attempt
 * goes on. Cancelling the coroutine ends the wait or the attempt, and is never retried. An attempt that `attemptTimeout` ends
 * is cancelled; as with `withTimeout`, this function does not return before code that ignores that has ended.
 *
 * ```
 * val page = catalogue.callSuspending { client.fetch("index") }
 * ```
 *
 * @param T the value's type
 * @param block the call
 * @return the value of the attempt that succeeded, or of the retry's recovery
 * @throws Throwable what the last attempt threw
 * @since 0.1.0
 */
public suspend fun <T> Retry.callSuspending(block: suspend () -> T): T = coroutineScope {
    callAsync(RetryCallable<CompletableFuture<T>, Exception> { attempt(block) }).await()
}

/** Starts an attempt: the first one on this thread at once, later ones where the coroutine's dispatcher wants them. */
private fun <T> CoroutineScope.attempt(block: suspend () -> T): CompletableFuture<T> {
    val scope = this
    val call = RetryContext.current()
    val outcome = CompletableFuture<T>()
    // Nothing is reported once the caller is cancelled: that ends the call, and must not look like a failure to retry.
    val fail = { error: Throwable -> if (scope.isActive) outcome.completeExceptionally(error) }
    val start = if (call.attempt() == 1) CoroutineStart.UNDISPATCHED else CoroutineStart.DEFAULT
    val job = launch(AttemptElement(call), start) {
        try {
            outcome.complete(block())
        } catch (ex: Throwable) {
            fail(ex)
        }
    }
    // A dispatcher that is closed cancels what it is given.
    job.invokeOnCompletion { cause -> if (cause != null) fail(cause) }
    outcome.whenComplete { _, _ -> if (outcome.isCancelled) job.cancel() }
    return outcome
}

/** An attempt as an element of its coroutine's context, so that the call is found on every thread it goes on. */
private class AttemptElement(private val call: RetryContext) :
    AbstractCoroutineContextElement(Key), ThreadContextElement<AttemptScope> {

    override fun updateThreadContext(context: CoroutineContext): AttemptScope = AttemptScope.open(call)

    override fun restoreThreadContext(context: CoroutineContext, oldState: AttemptScope) = oldState.close()

    companion object Key : CoroutineContext.Key<AttemptElement>
}
