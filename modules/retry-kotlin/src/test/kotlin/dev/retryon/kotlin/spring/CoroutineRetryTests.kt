// SPDX-License-Identifier: Apache-2.0
package dev.retryon.kotlin.spring

import dev.retryon.RetryContext
import dev.retryon.RetryEvent
import dev.retryon.RetryFailed
import dev.retryon.RetryListener
import dev.retryon.RetryScheduled
import dev.retryon.StopReason
import dev.retryon.spring.RetryOn
import dev.retryon.test.spring.VirtualRetriesConfiguration
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration
import dev.retryon.test.RecordedRetries
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.springframework.aop.support.AopUtils
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import reactor.util.context.Context
import java.io.IOException
import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger

@Tag("slow")
class CoroutineRetryTests {

    private val plain = ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration::class.java))
        .withBean(Payments::class.java)

    private val virtual = plain.withUserConfiguration(VirtualRetriesConfiguration::class.java)
        .withPropertyValues("retryon.defaults.jitter=none")

    private fun calling(test: suspend (Payments, RecordedRetries) -> Unit) {
        virtual.run { context ->
            val payments = context.getBean(Payments::class.java)
            assertThat(AopUtils.isCglibProxy(payments)).isTrue()
            runBlocking { withTimeout(120_000) { test(payments, context.getBean(RecordedRetries::class.java)) } }
        }
    }

    @Test
    fun leavesASuspendFunctionAloneThatSucceedsAtOnce() = calling { payments, retries ->
        assertThat(payments.charge(0)).isEqualTo("attempt 1")
        assertThat(retries).isEmpty()
    }

    @Test
    fun retriesSuspendFunctions() = calling { payments, retries ->
        assertThat(payments.charge(2)).isEqualTo("attempt 3")
        assertThat(retries).of("Payments.charge").attempted(3)
            .waited(Duration.ofSeconds(1), Duration.ofSeconds(2)).succeeded()
    }

    @Test
    fun retriesSuspendFunctionsThatThrowBeforeTheySuspend() = calling { payments, retries ->
        assertThat(payments.chargeWithoutSuspending(2)).isEqualTo("attempt 3")
        assertThat(retries).of("Payments.chargeWithoutSuspending").attempted(3).succeeded()
    }

    @Test
    fun failsWithTheLastErrorOfASuspendFunction() = calling { payments, retries ->
        val error = runCatching { payments.charge(9) }.exceptionOrNull()
        assertThat(error).isExactlyInstanceOf(PaymentRefused::class.java).hasMessage("failure 3")
        assertThat(retries).of("Payments.charge").attempted(3).failed(StopReason.EXHAUSTED)
    }

    @Test
    fun doesNotRetryOtherErrorsOfASuspendFunction() = calling { payments, retries ->
        val error = runCatching { payments.chargeNothing() }.exceptionOrNull()
        assertThat(error).isExactlyInstanceOf(IllegalStateException::class.java)
        assertThat(retries).of("Payments.chargeNothing").attempted(1).failed(StopReason.NOT_RETRYABLE)
    }

    @Test
    fun handsOnNullAndUnit() = calling { payments, _ ->
        assertThat(payments.find(1)).isNull()
        payments.notify(1)
        assertThat(payments.notified).hasValue(1)
    }

    @Test
    fun keepsTheCoroutinesDispatcherForTheCaller() = calling { payments, _ ->
        withContext(Dispatchers.Default) {
            assertThat(payments.charge(1)).isEqualTo("attempt 2")
            assertThat(Thread.currentThread().name).startsWith("DefaultDispatcher")
        }
    }

    @Test
    fun tellsASuspendFunctionItsAttemptByTheReactorContext() = calling { payments, _ ->
        withContext(ReactorContext(Context.of("user", "ann"))) {
            assertThat(payments.describe()).isEqualTo("ann at attempt 2")
        }
    }

    @Test
    fun endsTheWaitOfACancelledCoroutine() {
        val watcher = Watcher()
        plain.withPropertyValues("retryon.defaults.delay=1h").withBean(Watcher::class.java, { watcher }).run { context ->
            val payments = context.getBean(Payments::class.java)
            runBlocking {
                withTimeout(120_000) {
                    val call = async(Dispatchers.Default) { payments.charge(9) }
                    watcher.waits.await()
                    call.cancelAndJoin()
                    assertThat(call.isCancelled).isTrue()
                    assertThat(watcher.ends.await()).isEqualTo(StopReason.CANCELLED)
                }
            }
        }
    }

    @Test
    fun cancelsTheAttemptInFlight() = calling { payments, _ ->
        val call = CoroutineScope(Dispatchers.Default).async { payments.hanging() }
        payments.hangs.await()
        call.cancelAndJoin()
        assertThat(payments.cancelled.await()).isInstanceOf(CancellationException::class.java)
    }

    @Test
    fun retriesFlowsThatHaveEmittedNothing() = calling { payments, retries ->
        assertThat(payments.flow(2).toList()).containsExactly("attempt 3", "end")
        assertThat(retries).of("Payments.flow").attempted(3).succeeded()
    }

    @Test
    fun retriesSuspendFunctionsThatReturnAFlow() = calling { payments, retries ->
        assertThat(payments.suspendingFlow(2).toList()).containsExactly("attempt 3", "end")
        assertThat(retries).of("Payments.suspendingFlow").attempted(3).succeeded()
    }

    @Test
    fun leavesAFlowThatFailsAfterAnItemToItsCollector() = calling { payments, _ ->
        assertThatExceptionOfType(PaymentRefused::class.java)
            .isThrownBy { runBlocking { payments.flowThatBreaks().toList() } }
            .withMessageContaining("after an item")
    }

    @Test
    fun takesNoMoreOfAFlowThanItsCollectorWants() = calling { payments, _ ->
        assertThat(payments.flow(0).take(1).toList()).containsExactly("attempt 1")
    }
}

class Watcher : RetryListener {

    val waits = CompletableDeferred<Unit>()

    val ends = CompletableDeferred<StopReason>()

    override fun onEvent(event: RetryEvent) {
        when (event) {
            is RetryScheduled -> waits.complete(Unit)
            is RetryFailed -> ends.complete(event.reason())
            else -> {}
        }
    }
}

class PaymentRefused(message: String) : IOException(message)

open class Payments {

    open val notified = AtomicInteger()

    open val hangs = CompletableDeferred<Unit>()

    open val cancelled = CompletableDeferred<Throwable>()

    @RetryOn(IOException::class)
    open suspend fun charge(failures: Int): String {
        val attempt = attempt()
        delay(1)
        return outcome(attempt, failures)
    }

    @RetryOn(IOException::class)
    open suspend fun chargeWithoutSuspending(failures: Int): String =
        outcome(attempt(), failures)

    @RetryOn(IOException::class)
    open suspend fun chargeNothing(): String {
        delay(1)
        throw IllegalStateException("nothing")
    }

    @RetryOn(IOException::class)
    open suspend fun find(failures: Int): String? {
        val attempt = attempt()
        delay(1)
        outcome(attempt, failures)
        return null
    }

    @RetryOn(IOException::class)
    open suspend fun notify(failures: Int) {
        val attempt = attempt()
        delay(1)
        outcome(attempt, failures)
        notified.incrementAndGet()
    }

    @RetryOn(IOException::class)
    open suspend fun describe(): String {
        delay(1)
        val attempt = attempt()
        outcome(attempt, 1)
        return "${currentCoroutineContext()[ReactorContext]!!.context.get<String>("user")} at attempt $attempt"
    }

    @RetryOn(IOException::class)
    open suspend fun hanging(): String {
        try {
            hangs.complete(Unit)
            delay(3_600_000)
        } catch (ex: CancellationException) {
            cancelled.complete(ex)
            throw ex
        }
        return "never"
    }

    @RetryOn(IOException::class)
    open fun flow(failures: Int): Flow<String> {
        val attempt = RetryContext.current().attempt()
        return items(attempt, failures)
    }

    @RetryOn(IOException::class)
    open suspend fun suspendingFlow(failures: Int): Flow<String> {
        val attempt = attempt()
        delay(1)
        return items(attempt, failures)
    }

    @RetryOn(IOException::class)
    open fun flowThatBreaks(): Flow<String> = flow {
        emit("item")
        delay(1)
        throw PaymentRefused("after an item")
    }

    /** A coroutine has no thread of its own, so the call's context is in the coroutine's. */
    private suspend fun attempt(): Int =
        currentCoroutineContext()[ReactorContext]!!.context.get(RetryContext::class.java).attempt()

    private fun items(attempt: Int, failures: Int): Flow<String> = flow {
        delay(1)
        emit(outcome(attempt, failures))
        emit("end")
    }

    private fun outcome(attempt: Int, failures: Int): String {
        if (attempt <= failures) {
            throw PaymentRefused("failure $attempt")
        }
        return "attempt $attempt"
    }
}
