// SPDX-License-Identifier: Apache-2.0
package dev.retryon.kotlin.durable

import dev.retryon.durable.internal.engine.CallStore
import dev.retryon.durable.StoredCalls
import dev.retryon.durable.StoredCall.State
import dev.retryon.durable.Durable
import dev.retryon.durable.DurableMode
import dev.retryon.RetryContext
import dev.retryon.StopReason
import dev.retryon.durable.internal.engine.DeadLetter
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration
import dev.retryon.durable.internal.store.RetryStore
import dev.retryon.durable.internal.store.StoreChoice
import dev.retryon.spring.RetryOn
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.awaitCancellation
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.awaitility.Awaitility
import org.awaitility.core.ConditionFactory
import org.junit.jupiter.api.Tag
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration
import org.springframework.context.ApplicationContext
import org.springframework.transaction.IllegalTransactionStateException
import org.springframework.transaction.PlatformTransactionManager
import org.springframework.transaction.reactive.TransactionContextManager
import org.springframework.transaction.reactive.TransactionSynchronizationManager
import org.springframework.transaction.support.TransactionTemplate
import kotlinx.coroutines.reactor.mono
import java.io.IOException
import java.time.Duration
import java.util.concurrent.CopyOnWriteArrayList

/** Durable suspend functions. */
@Tag("slow")
class SuspendedCallsTests {

    private val mails = Partner()

    /** An application whose database is in memory, and which looks for calls often. */
    private val application = ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                AopAutoConfiguration::class.java,
                DataSourceAutoConfiguration::class.java,
                DataSourceTransactionManagerAutoConfiguration::class.java,
                TransactionAutoConfiguration::class.java,
                RetryDurableCoreAutoConfiguration::class.java,
                RetryAutoConfiguration::class.java,
                RetryDurableAutoConfiguration::class.java,
            ),
        )
        .withPropertyValues(
            "retryon.defaults.delay=10ms",
            "retryon.defaults.jitter=none",
            "retryon.durable.poll-interval=50ms",
            "retryon.durable.heartbeat-interval=2s",
        )

    private fun calling(test: (ApplicationContext, Mails) -> Unit) {
        application
            .withPropertyValues("retryon.durable.attempt-timeout=200ms", "retryon.defaults.exceptions=java.io.IOException")
            .withBean(Partner::class.java, { mails })
            .withBean(Mails::class.java)
            .run { context ->
                assertThat(context).hasNotFailed()
                test(context, context.getBean(Mails::class.java))
            }
    }

    private fun letters(context: ApplicationContext): List<DeadLetter> {
        val store = context.getBean(CallStore::class.java)
        return store.list(StoredCalls.Filter.ALL, null, 1000).calls().mapNotNull { store.died(it.id()).orElse(null) }
    }

    private fun store(context: ApplicationContext): RetryStore = context.getBean(StoreChoice::class.java).get()

    /** The number of calls that are stored, waiting or running. */
    private fun stored(context: ApplicationContext): Long =
        store(context).jdbc().sql("select count(*) from " + RetryStore.CALLS + " where state = 'WAITING'").query(Long::class.javaObjectType).single()

    /** Waits for workers, which run on other threads. */
    private fun await(): ConditionFactory =
        Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(5))

    @Test
    fun retriesAreStoredAndTheFunctionReturns() = calling { context, bean ->
        runBlocking { bean.send("17", 3) }

        await().until { mails.seen.size == 3 }
        await().until { stored(context) == 0L }
        assertThat(mails.seen).extracting<Int> { it.attempt }.containsExactly(1, 2, 3)
        assertThat(mails.seen.map { it.callId }.toSet()).hasSize(1)
    }

    @Test
    fun anErrorThatIsNotRetriedIsThrown() = calling { context, bean ->
        assertThatThrownBy { runBlocking { bean.refuse() } }.hasMessage("wrong")
        assertThat(stored(context)).isZero()
    }

    @Test
    fun aCallOfTheOutboxTakesPartInTheTransactionOfTheThread() = calling { context, bean ->
        val transaction = TransactionTemplate(context.getBean(PlatformTransactionManager::class.java))
        transaction.executeWithoutResult {
            runBlocking { bean.sendLater("16") }
            it.setRollbackOnly()
        }
        assertThat(stored(context)).isZero()

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
        assertThat(stored(context)).isZero()
    }

    @Test
    fun aCallThatFailsForGoodBecomesADeadLetterThatCanBeResent() = calling { context, bean ->
        runBlocking { bean.send("17", 4) }
        await().until { letters(context).size == 1 }
        assertThat(letters(context)[0].reason()).isEqualTo(StopReason.EXHAUSTED)
        mails.up = true

        context.getBean(StoredCalls::class.java).resend(letters(context)[0].id())

        await().until { letters(context)[0].state() == State.RESOLVED }
    }

    @Test
    fun aFunctionThatNeverEndsIsCancelledByTheTimeout() = calling { context, bean ->
        runBlocking { bean.hang() }

        await().until { letters(context).size == 1 }
        await().until { mails.cancelled.size == 1 }
    }

    @Test
    fun aRecoveryOfAStoredCallRuns() = calling { context, bean ->
        runBlocking { bean.recovered("17") }
        await().until { mails.recovered.contains("17") }

        runBlocking { bean.lost("18") }
        store(context).jdbc()
            .sql("update retryon_call set consecutive_failures = 1, execution_time = current_timestamp")
            .update()
        await().until { mails.recovered.contains("18") }
        await().until { stored(context) == 0L }
    }

    @Test
    fun aFunctionThatReturnsAValueIsAFault() {
        application.withBean(Values::class.java).run { context ->
            assertThat(context).failure
                .hasMessageContaining("durable.mode is 'outbox', but method count returns Integer, which no caller can receive")
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

        @Durable(DurableMode.ON_FAILURE)
        open suspend fun send(id: String, upAt: Int) {
            if (attempt(id) < upAt && !partner.up) {
                throw IOException("down")
            }
        }

        @Durable(DurableMode.ON_FAILURE)
        open suspend fun refuse() {
            delay(1)
            throw IllegalStateException("wrong")
        }

        @Durable(DurableMode.OUTBOX)
        open suspend fun sendLater(id: String) {
            attempt(id)
        }

        @RetryOn(maxAttempts = 1)
        @Durable(DurableMode.OUTBOX)
        open suspend fun hang() {
            try {
                awaitCancellation()
            } finally {
                partner.cancelled.add("hang")
            }
        }

        @RetryOn(maxAttempts = 2, recover = "recover")
        @Durable(DurableMode.ON_FAILURE)
        open suspend fun recovered(id: String) {
            delay(1)
            throw IOException("down")
        }

        @RetryOn(maxAttempts = 1, recover = "recover")
        @Durable(DurableMode.OUTBOX, initialDelay = "1h")
        open suspend fun lost(id: String) = delay(1)

        suspend fun recover(id: String) {
            delay(1)
            partner.recovered.add(id)
        }
    }

    open class Values {

        @RetryOn(value = [IOException::class])
        @Durable(DurableMode.OUTBOX)
        open suspend fun count(): Int = 1
    }
}
