/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call

import dev.retryon.RetryContext
import dev.retryon.StopReason
import dev.retryon.deadletter.DeadLetter
import dev.retryon.deadletter.DeadLetterStatus
import dev.retryon.durable.DeadLetters
import dev.retryon.durable.internal.call.DurableTrial.await
import dev.retryon.spring.Durable
import dev.retryon.spring.RetryOn
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.awaitCancellation
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.ApplicationContext
import org.springframework.transaction.IllegalTransactionStateException
import org.springframework.transaction.PlatformTransactionManager
import org.springframework.transaction.reactive.TransactionContextManager
import org.springframework.transaction.reactive.TransactionSynchronizationManager
import org.springframework.transaction.support.TransactionTemplate
import kotlinx.coroutines.reactor.mono
import java.io.IOException
import java.util.concurrent.CopyOnWriteArrayList

/** Durable suspend functions. */
class SuspendedCallsTests {

    private val mails = Partner()

    private fun calling(test: (ApplicationContext, Mails) -> Unit) {
        DurableTrial.inMemory()
            .withPropertyValues("retryon.durable.attempt-timeout=200ms", "retryon.defaults.exceptions=java.io.IOException")
            .withBean(Partner::class.java, { mails })
            .withBean(Mails::class.java)
            .run { context ->
                assertThat(context).hasNotFailed()
                test(context, context.getBean(Mails::class.java))
            }
    }

    private fun letters(context: ApplicationContext): List<DeadLetter> = DurableTrial.deadLetters(context)

    @Test
    fun retriesAreStoredAndTheFunctionReturns() = calling { context, bean ->
        runBlocking { bean.send("17", 3) }

        await().until { mails.seen.size == 3 }
        await().until { DurableTrial.stored(context) == 0L }
        assertThat(mails.seen).extracting<Int> { it.attempt }.containsExactly(1, 2, 3)
        assertThat(mails.seen.map { it.callId }.toSet()).hasSize(1)
    }

    @Test
    fun anErrorThatIsNotRetriedIsThrown() = calling { context, bean ->
        assertThatThrownBy { runBlocking { bean.refuse() } }.hasMessage("wrong")
        assertThat(DurableTrial.stored(context)).isZero()
    }

    @Test
    fun aCallOfTheOutboxTakesPartInTheTransactionOfTheThread() = calling { context, bean ->
        val transaction = TransactionTemplate(context.getBean(PlatformTransactionManager::class.java))
        transaction.executeWithoutResult {
            runBlocking { bean.sendLater("16") }
            it.setRollbackOnly()
        }
        assertThat(DurableTrial.stored(context)).isZero()

        transaction.executeWithoutResult {
            runBlocking { bean.sendLater("17") }
            assertThat(mails.seen).isEmpty()
        }

        await().until { mails.seen.size == 1 }
        assertThat(mails.seen[0].id).isEqualTo("17")
    }

    @Test
    fun aReactiveTransactionIsRefused() = calling { context, bean ->
        val call = TransactionSynchronizationManager.forCurrentTransaction()
            .doOnNext { it.setActualTransactionActive(true) }
            .then(mono { bean.sendLater("17") })
            .contextWrite(TransactionContextManager.getOrCreateContext())
            .contextWrite(TransactionContextManager.getOrCreateContextHolder())

        assertThatThrownBy { call.block() }.isInstanceOf(IllegalTransactionStateException::class.java)
        assertThat(DurableTrial.stored(context)).isZero()
    }

    @Test
    fun aCallThatFailsForGoodBecomesADeadLetterThatCanBeResent() = calling { context, bean ->
        runBlocking { bean.send("17", 4) }
        await().until { letters(context).size == 1 }
        assertThat(letters(context)[0].reason()).isEqualTo(StopReason.EXHAUSTED)
        mails.up = true

        context.getBean(DeadLetters::class.java).retry(letters(context)[0].id())

        await().until { letters(context)[0].status() == DeadLetterStatus.RESOLVED }
    }

    @Test
    fun aFunctionThatNeverEndsIsCancelledByTheTimeout() = calling { context, bean ->
        runBlocking { bean.hang() }

        await().until { letters(context).size == 1 }
        assertThat(mails.cancelled).hasSize(1)
    }

    @Test
    fun aRecoveryOfAStoredCallRuns() = calling { context, bean ->
        runBlocking { bean.recovered("17") }
        await().until { mails.recovered.contains("17") }

        runBlocking { bean.lost("18") }
        DurableTrial.store(context).jdbc()
            .sql("update retryon_call set consecutive_failures = 1, execution_time = current_timestamp")
            .update()
        await().until { mails.recovered.contains("18") }
        await().until { DurableTrial.stored(context) == 0L }
    }

    @Test
    fun aFunctionThatReturnsAValueIsAFault() {
        DurableTrial.inMemory().withBean(Values::class.java).run { context ->
            assertThat(context).failure
                .hasMessageContaining("durable is 'outbox', but method count returns Integer, which no caller can receive")
        }
    }

    data class Seen(val id: String, val attempt: Int, val callId: String)

    class Partner {

        val seen = CopyOnWriteArrayList<Seen>()

        val recovered = CopyOnWriteArrayList<String>()

        val cancelled = CopyOnWriteArrayList<String>()

        @Volatile
        var up = false
    }

    @Suppress("UNUSED_PARAMETER")
    open class Mails(private val partner: Partner) {

        private suspend fun attempt(id: String): Int {
            delay(1)
            val call = RetryContext.current()
            partner.seen.add(Seen(id, call.attempt(), call.callId()))
            return call.attempt()
        }

        @RetryOn(durable = Durable.ON_FAILURE)
        open suspend fun send(id: String, upAt: Int) {
            if (attempt(id) < upAt && !partner.up) {
                throw IOException("down")
            }
        }

        @RetryOn(durable = Durable.ON_FAILURE)
        open suspend fun refuse() {
            delay(1)
            throw IllegalStateException("wrong")
        }

        @RetryOn(durable = Durable.OUTBOX)
        open suspend fun sendLater(id: String) {
            attempt(id)
        }

        @RetryOn(durable = Durable.OUTBOX, maxAttempts = 1)
        open suspend fun hang() {
            try {
                awaitCancellation()
            } finally {
                partner.cancelled.add("hang")
            }
        }

        @RetryOn(durable = Durable.ON_FAILURE, maxAttempts = 2, recover = "recover")
        open suspend fun recovered(id: String) {
            delay(1)
            throw IOException("down")
        }

        @RetryOn(durable = Durable.OUTBOX, initialDelay = "1h", maxAttempts = 1, recover = "recover")
        open suspend fun lost(id: String) = delay(1)

        suspend fun recover(id: String) {
            delay(1)
            partner.recovered.add(id)
        }
    }

    open class Values {

        @RetryOn(value = [IOException::class], durable = Durable.OUTBOX)
        open suspend fun count(): Int = 1
    }
}
