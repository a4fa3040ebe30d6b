// SPDX-License-Identifier: Apache-2.0
package dev.retryon.kotlin

import dev.retryon.AttemptTimeoutException
import dev.retryon.BeforeRetry
import dev.retryon.Retry
import dev.retryon.RetryContext
import dev.retryon.RetryEngine
import dev.retryon.RetryFailed
import dev.retryon.RetryListener
import dev.retryon.RetryPolicyBuilder
import dev.retryon.RetryRecovery
import dev.retryon.RetryScheduled
import dev.retryon.StopReason
import dev.retryon.backoff.Jitter
import dev.retryon.test.RecordedRetries
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.Executors
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.toJavaDuration

class SuspendingTests {

    private val retries = RecordedRetries.create()

    private fun virtual(configure: RetryPolicyBuilder.() -> Unit = {}): Retry {
        val policy = retryPolicy {
            retryOn<IOException>()
            jitter(Jitter.none())
            configure()
        }
        return retry("catalogue", policy) { engine(retries.engine().build()) }
    }

    private fun coroutine(test: suspend CoroutineScope.() -> Unit) = runBlocking { withTimeout(60.seconds, test) }

    @Test
    fun returnsWhatSucceedsAtOnce() = coroutine {
        val thread = Thread.currentThread()
        assertThat(virtual().callSuspending { Thread.currentThread() }).isSameAs(thread)
        assertThat(virtual().callSuspending<String?> { null }).isNull()
        assertThat(retries).isEmpty()
    }

    @Test
    fun retriesWhatFailsBeforeAndAfterASuspension() = coroutine {
        val answer = virtual().callSuspending {
            val attempt = RetryContext.current().attempt()
            if (attempt == 1) throw IOException("before")
            yield()
            if (attempt == 2) throw IOException("after")
            "attempt $attempt"
        }
        assertThat(answer).isEqualTo("attempt 3")
        assertThat(retries).of("catalogue").attempted(3)
            .waited(1.seconds.toJavaDuration(), 2.seconds.toJavaDuration()).succeeded()
    }

    @Test
    fun throwsTheLastErrorAndLeavesTheCallersScopeAlive() = coroutine {
        val error = runCatching { virtual().callSuspending { throw IOException("down") } }.exceptionOrNull()
        assertThat(error).isExactlyInstanceOf(IOException::class.java).hasMessage("down")
        assertThat(retries).of("catalogue").attempted(3).failed(StopReason.EXHAUSTED)
        assertThat(async { "alive" }.await()).isEqualTo("alive")
    }

    @Test
    fun doesNotRetryOtherErrors() = coroutine {
        val error = runCatching { virtual().callSuspending { throw IllegalStateException("bug") } }.exceptionOrNull()
        assertThat(error).isExactlyInstanceOf(IllegalStateException::class.java).hasMessage("bug")
        assertThat(retries).of("catalogue").attempted(1).failed(StopReason.NOT_RETRYABLE)
    }

    @Test
    fun laterAttemptsRunOnTheCoroutinesDispatcher() = coroutine {
        Executors.newSingleThreadExecutor { Thread(it, "the one thread") }.asCoroutineDispatcher().use { dispatcher ->
            val threads = ConcurrentLinkedQueue<String>()
            withContext(dispatcher) {
                virtual().callSuspending {
                    threads += Thread.currentThread().name.substringBefore(" @")
                    yield()
                    threads += Thread.currentThread().name.substringBefore(" @")
                    if (RetryContext.current().attempt() < 3) throw IOException("down")
                }
            }
            assertThat(threads).hasSize(6).containsOnly("the one thread")
        }
    }

    @Test
    fun theContextIsThereOnEveryThreadAndOfTheInnermostCall() = coroutine {
        val outer = virtual()
        val inner = retry("inner", outer.policy()) { engine(retries.engine().build()) }
        val seen = ConcurrentLinkedQueue<String>()
        suspend fun look() = withContext(Dispatchers.Default) {
            seen += "${RetryContext.current().name()} ${RetryContext.current().attempt()}"
        }
        outer.callSuspending {
            look()
            if (RetryContext.current().attempt() == 1) throw IOException("down")
            inner.callSuspending { look() }
            look()
        }
        assertThat(seen).containsExactly("catalogue 1", "catalogue 2", "inner 1", "catalogue 2")
        assertThat(RetryContext.find()).isEmpty()
        withContext(Dispatchers.Default) { assertThat(RetryContext.find()).isEmpty() }
    }

    @Test
    fun theContextsOfConcurrentCallsAreKeptApart() = coroutine {
        val catalogue = virtual()
        val answers = coroutineScope {
            (1..50).map { n ->
                async(Dispatchers.Default) {
                    catalogue.callSuspending {
                        yield()
                        val attempt = RetryContext.current().attempt()
                        if (attempt <= n % 3) throw IOException("down")
                        "$n at $attempt"
                    }
                }
            }.awaitAll()
        }
        assertThat(answers).isEqualTo((1..50).map { "$it at ${it % 3 + 1}" })
    }

    @Test
    fun judgesValuesAndRecovers() = coroutine {
        val poll = virtual { retryIf { value, _ -> value == "pending" } }
        assertThat(poll.callSuspending { if (RetryContext.current().attempt() < 3) "pending" else "paid" }).isEqualTo("paid")

        val recovered = retry("recovered", poll.policy()) {
            engine(retries.engine().build())
            uncheckedRecovery(RetryRecovery<Any, Any> { _, _, context -> CompletableFuture.completedFuture("after ${context.attempt()}") })
        }
        assertThat(recovered.callSuspending<String> { throw IOException("down") }).isEqualTo("after 3")
    }

    @Test
    fun codeRunsBeforeRetries() = coroutine {
        val runs = ConcurrentLinkedQueue<Int>()
        val prepared = retry("prepared", virtual().policy()) {
            engine(retries.engine().build())
            beforeRetry(BeforeRetry<Any> { _, context -> runs.add(context.attempt()) })
        }
        assertThat(prepared.callSuspending {
            if (RetryContext.current().attempt() < 3) throw IOException("down") else "value"
        }).isEqualTo("value")
        assertThat(runs).containsExactly(2, 3)
    }

    @Test
    fun cancellingTheCoroutineEndsTheWait() = coroutine {
        val waits = CompletableDeferred<Unit>()
        val ends = CompletableDeferred<StopReason>()
        val slow = watched(waits, ends) { delay(1.hours) }
        val call = async(Dispatchers.Default) { slow.callSuspending<String> { throw IOException("down") } }
        waits.await()
        call.cancelAndJoin()
        assertThat(ends.await()).isEqualTo(StopReason.CANCELLED)
    }

    @Test
    fun cancellingTheCoroutineEndsTheAttemptAndIsNeverRetried() = coroutine {
        val waits = CompletableDeferred<Unit>()
        val ends = CompletableDeferred<StopReason>()
        // CancellationException is an IllegalStateException.
        val hanging = watched(waits, ends) { retryOn<IllegalStateException>() }
        val hangs = CompletableDeferred<Unit>()
        val cancelled = CompletableDeferred<Throwable>()
        val call = async(Dispatchers.Default) {
            hanging.callSuspending {
                try {
                    hangs.complete(Unit)
                    awaitCancellation()
                } catch (ex: CancellationException) {
                    cancelled.complete(ex)
                    throw ex
                }
            }
        }
        hangs.await()
        call.cancelAndJoin()
        assertThat(cancelled.isCompleted).isTrue()
        assertThat(ends.await()).isEqualTo(StopReason.CANCELLED)
        assertThat(waits.isCompleted).isFalse()
    }

    private fun watched(
        waits: CompletableDeferred<Unit>,
        ends: CompletableDeferred<StopReason>,
        configure: RetryPolicyBuilder.() -> Unit,
    ): Retry {
        val watcher = RetryListener { event ->
            when (event) {
                is RetryScheduled -> waits.complete(Unit)
                is RetryFailed -> ends.complete(event.reason())
                else -> {}
            }
        }
        val policy = retryPolicy {
            retryOn<IOException>()
            configure()
        }
        return retry("catalogue", policy) { listener(watcher) }
    }

    @Test
    fun aTimeLimitInsideAnAttemptIsAFailureOfIt() = coroutine {
        val impatient = virtual { retryOn<TimeoutCancellationException>() }
        val answer = impatient.callSuspending {
            if (RetryContext.current().attempt() < 3) withTimeout(1.milliseconds) { awaitCancellation() }
            "in time"
        }
        assertThat(answer).isEqualTo("in time")
        assertThat(retries).of("catalogue").attempted(3).succeeded()
    }

    @Test
    fun theAttemptsTimeoutCancelsTheAttempt() = coroutine {
        val cancelled = AtomicInteger()
        val policy = retryPolicy {
            attemptTimeout(20.milliseconds)
            maxAttempts(2)
            delay(1.milliseconds)
        }
        val error = runCatching {
            retry("hanging", policy) {}.callSuspending {
                try {
                    awaitCancellation()
                } finally {
                    cancelled.incrementAndGet()
                }
            }
        }.exceptionOrNull()
        assertThat(error).isInstanceOf(AttemptTimeoutException::class.java)
        assertThat(cancelled).hasValue(2)
    }

    @Test
    fun aDispatcherThatIsClosedFailsTheCall() = coroutine {
        val dispatcher = Executors.newSingleThreadExecutor().asCoroutineDispatcher()
        val ends = CompletableDeferred<Throwable?>()
        CoroutineScope(Dispatchers.Default).launch {
            ends.complete(
                runCatching {
                    withContext(dispatcher) {
                        virtual().callSuspending {
                            dispatcher.close()
                            throw IOException("down")
                        }
                    }
                }.exceptionOrNull(),
            )
        }
        assertThat(ends.await()).isInstanceOf(CancellationException::class.java)
            .hasRootCauseInstanceOf(RejectedExecutionException::class.java)
    }

    @Test
    fun anEngineThatIsClosedEndsTheWait() = coroutine {
        val waits = CompletableDeferred<Unit>()
        val engine = RetryEngine.builder().listener { if (it is RetryScheduled) waits.complete(Unit) }.build()
        val policy = retryPolicy {
            retryOn<IOException>()
            delay(1.hours)
        }
        val slow = retry("slow", policy) { engine(engine) }
        val call = async(Dispatchers.Default) {
            runCatching { slow.callSuspending<String> { throw IOException("down") } }.exceptionOrNull()
        }
        waits.await()
        engine.close()
        assertThat(call.await()).isInstanceOf(IOException::class.java).hasMessage("down")
    }
}
