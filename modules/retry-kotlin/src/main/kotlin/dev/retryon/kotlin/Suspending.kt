// SPDX-License-Identifier: Apache-2.0
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
 * Runs suspending code and retries it if it fails. During a delay, the coroutine is suspended and no thread is held.
 *
 * Each attempt runs in the context of the coroutine, and [RetryContext.current] returns the call on every thread of
 * the attempt. If the coroutine is cancelled, the delay or the attempt ends, and the call is not retried. An attempt
 * that exceeds `attemptTimeout` is cancelled. As with `withTimeout`, if the code ignores the cancellation, this
 * function does not return before the code has ended.
 *
 * ```
 * val page = catalogue.callSuspending { client.fetch("index") }
 * ```
 *
 * @param T the type of the value
 * @param block runs one attempt
 * @return the value of the successful attempt, or of the recovery
 * @throws Throwable the exception of the last attempt
 * @since 0.1.0
 */
public suspend fun <T> Retry.callSuspending(block: suspend () -> T): T = coroutineScope {
    callAsync(RetryCallable<CompletableFuture<T>, Exception> { attempt(block) }).await()
}

/** Starts the first attempt on this thread, and later attempts on the dispatcher of the coroutine. */
private fun <T> CoroutineScope.attempt(block: suspend () -> T): CompletableFuture<T> {
    val scope = this
    val call = RetryContext.current()
    val outcome = CompletableFuture<T>()
    // After the caller was cancelled, nothing is reported, because it would look like a retryable failure.
    val fail = { error: Throwable -> if (scope.isActive) outcome.completeExceptionally(error) }
    val start = if (call.attempt() == 1) CoroutineStart.UNDISPATCHED else CoroutineStart.DEFAULT
    val job = launch(AttemptElement(call), start) {
        try {
            outcome.complete(block())
        } catch (ex: Throwable) {
            fail(ex)
        }
    }
    // A closed dispatcher cancels its tasks.
    job.invokeOnCompletion { cause -> if (cause != null) fail(cause) }
    outcome.whenComplete { _, _ -> if (outcome.isCancelled) job.cancel() }
    return outcome
}

/** The context element of an attempt, through which every thread of the attempt can access the call. */
private class AttemptElement(private val call: RetryContext) :
    AbstractCoroutineContextElement(Key), ThreadContextElement<AttemptScope> {

    override fun updateThreadContext(context: CoroutineContext): AttemptScope = AttemptScope.open(call)

    override fun restoreThreadContext(context: CoroutineContext, oldState: AttemptScope) = oldState.close()

    companion object Key : CoroutineContext.Key<AttemptElement>
}
