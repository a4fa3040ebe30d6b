// SPDX-License-Identifier: Apache-2.0
package dev.retryon.kotlin.spring

import dev.retryon.RetryContext
import dev.retryon.spring.RetryOn
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import java.io.IOException

/** Gates, recoveries and the context of suspend functions. */
class SuspendFunctionTests {

    private val runner = ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration::class.java))
        .withPropertyValues("retryon.defaults.backoff=none")
        .withBean(Shop::class.java)

    private fun calling(test: suspend (Shop) -> Unit) = calling(runner, test)

    private fun calling(runner: ApplicationContextRunner, test: suspend (Shop) -> Unit) {
        runner.run { context ->
            assertThat(context).hasNotFailed()
            runBlocking { withTimeout(60_000) { test(context.getBean(Shop::class.java)) } }
        }
    }

    @Test
    fun gatesKnowTheParametersThatAreDeclared() = calling { shop ->
        assertThat(runCatching { shop.gated("no", 1) }.exceptionOrNull()).hasMessage("no at 1")
        assertThat(runCatching { shop.gated("yes", 1) }.exceptionOrNull()).hasMessage("yes at 3")
    }

    @Test
    fun retryIfJudgesTheValueOfASuspendFunction() = calling { shop ->
        assertThat(shop.poll("order")).isEqualTo("order paid at 3")
    }

    @Test
    fun recoversWithAPlainFunction() = calling { shop ->
        assertThat(shop.find("order", 7)).isEqualTo("no order 7: down at 3, EXHAUSTED")
    }

    @Test
    fun recoversWithASuspendFunction() = calling { shop ->
        assertThat(shop.findLater("order", 7)).isEqualTo("later no order 7: down at 3, EXHAUSTED")
    }

    @Test
    fun recoversWithTheErrorAlone() = calling { shop ->
        assertThat(shop.findWithErrorAlone("order")).isEqualTo("down at 3")
    }

    @Test
    fun recoversWithoutTheError() = calling { shop ->
        assertThat(shop.findWithoutError("order")).isEqualTo("no order")
        assertThat(shop.findWithNothing("order")).isEqualTo("nothing")
    }

    @Test
    fun recoversAFunctionThatReturnsNothing() = calling { shop ->
        shop.notify("order")
        assertThat(shop.notified()).containsExactly("recovered order")
    }

    @Test
    fun aSuspendRecoveryThatFailsFailsTheCall() = calling { shop ->
        assertThat(runCatching { shop.findInVain() }.exceptionOrNull())
            .isInstanceOf(IllegalStateException::class.java).hasMessage("no recovery either")
    }

    @Test
    fun recoversAFlow() = calling { shop ->
        assertThat(shop.items().toList()).containsExactly("none")
    }

    @Test
    fun aPlainFunctionRunsBeforeRetries() = calling { shop ->
        assertThat(shop.prepared("order")).isEqualTo("order at 3")
        assertThat(shop.notified()).containsExactly("order before 2 after down", "order before 3 after down")
    }

    @Test
    fun aSuspendFunctionCannotRunBeforeRetries() {
        runner.withBean(SuspendedPreparation::class.java).run { context ->
            assertThat(context).failure.hasMessageContaining(
                "beforeRetry is 'prepare', but prepare(String) is a suspend function. A beforeRetry method of"
                        + " find(String) takes its arguments",
            )
        }
    }

    @Test
    fun theContextIsThereOnWhateverThreadTheCoroutineGoesOn() = calling { shop ->
        assertThat(shop.contextEverywhere())
            .containsExactly("Shop.contextEverywhere 2", "Shop.contextEverywhere 2", "Shop.contextEverywhere 2")
        assertThat(RetryContext.find()).isEmpty()
    }

    @Test
    fun theContextIsThatOfTheInnermostCall() = calling { shop ->
        assertThat(shop.outer(shop)).containsExactly("Shop.outer 2", "Shop.inner 3", "Shop.outer 2")
    }

    @Test
    fun theContextsOfConcurrentCallsAreKeptApart() = calling { shop ->
        coroutineScope {
            val answers = (1..50).map { n -> async(Dispatchers.Default) { shop.numbered(n) } }.awaitAll()
            assertThat(answers).isEqualTo((1..50).map { n -> "$n at ${n % 3 + 1}" })
        }
        withContext(Dispatchers.Default) { assertThat(RetryContext.find()).isEmpty() }
    }

    @Test
    fun operatorsNameTheParametersThatAreDeclared() = calling(
        runner.withPropertyValues(
            "retryon.methods[dev.retryon.kotlin.spring.Shop#gated(String,int)].max-attempts=2",
        ),
    ) { shop ->
        assertThat(runCatching { shop.gated("yes", 1) }.exceptionOrNull()).hasMessage("yes at 2")
    }

    @Test
    fun aBlockingFunctionCannotRecoverWithASuspendFunction() {
        runner.withBean(Misfit::class.java).run { context ->
            assertThat(context).failure.hasMessageContaining(
                "recover is 'later', but later(IOException) is a suspend function, which can only recover another"
                        + " suspend function",
            )
        }
    }

    @Test
    fun retryIfOfAFlowIsAFault() {
        runner.withBean(PolledFlow::class.java).run { context ->
            assertThat(context).failure.hasMessageContaining(
                "retryIf is '#result == null', but the method returns a stream",
            )
        }
    }

    @Test
    fun aGateThatNamesTheContinuationIsAFault() {
        runner.withBean(ContinuationGate::class.java).run { context ->
            assertThatExceptionOfType(IllegalStateException::class.java).isThrownBy { context.getBean(Shop::class.java) }
            assertThat(context).failure.hasMessageContaining("names the unknown variable #p1")
        }
    }
}

open class Shop {

    private val notified = mutableListOf<String>()

    open fun notified(): List<String> = notified

    @RetryOn(IOException::class, onlyIf = "#order == 'yes' and #p1 == 1 and #args.length == 2")
    open suspend fun gated(order: String, number: Int): String {
        delay(1)
        throw IOException("$order at ${RetryContext.current().attempt()}")
    }

    @RetryOn(retryIf = "#result.endsWith('pending') and #order == 'order'")
    open suspend fun poll(order: String): String {
        delay(1)
        val attempt = RetryContext.current().attempt()
        return if (attempt < 3) "$order pending" else "$order paid at $attempt"
    }

    @RetryOn(IOException::class, recover = "notFound")
    open suspend fun find(order: String, number: Int): String = down()

    private fun notFound(order: String, number: Int, error: IOException, context: RetryContext): String =
        "no $order $number: ${error.message}, ${context.stopReason()}"

    @RetryOn(IOException::class, recover = "notFoundLater")
    open suspend fun findLater(order: String, number: Int): String = down()

    private suspend fun notFoundLater(order: String, number: Int, error: IOException, context: RetryContext): String {
        delay(1)
        return "later " + notFound(order, number, error, context)
    }

    @RetryOn(IOException::class, recover = "message")
    open suspend fun findWithErrorAlone(order: String): String = down()

    suspend fun message(error: IOException): String {
        delay(1)
        return error.message!!
    }

    @RetryOn(IOException::class, recover = "noOrder")
    open suspend fun findWithoutError(order: String): String = down()

    private suspend fun noOrder(order: String): String {
        delay(1)
        return "no $order"
    }

    @RetryOn(IOException::class, recover = "nothing")
    open suspend fun findWithNothing(order: String): String = down()

    private fun nothing(): String = "nothing"

    @RetryOn(IOException::class, recover = "notNotified")
    open suspend fun notify(order: String) {
        down()
    }

    suspend fun notNotified(order: String, error: IOException) {
        delay(1)
        notified.add("recovered $order")
    }

    @RetryOn(IOException::class, recover = "inVain")
    open suspend fun findInVain(): String = down()

    suspend fun inVain(error: IOException): String {
        delay(1)
        throw IllegalStateException("no recovery either")
    }

    @RetryOn(IOException::class, recover = "noItems")
    open fun items(): Flow<String> = flow { throw IOException("down") }

    fun noItems(error: IOException): Flow<String> = flowOf("none")

    @RetryOn(IOException::class, beforeRetry = "prepare")
    open suspend fun prepared(order: String): String {
        delay(1)
        val attempt = RetryContext.current().attempt()
        if (attempt < 3) {
            throw IOException("down")
        }
        return "$order at $attempt"
    }

    private fun prepare(order: String, error: IOException, context: RetryContext) {
        notified.add("$order before ${context.attempt()} after ${error.message}")
    }

    @RetryOn(IOException::class)
    open suspend fun contextEverywhere(): List<String> {
        val before = here()
        delay(1)
        val after = here()
        val elsewhere = withContext(Dispatchers.IO) { here() }
        if (RetryContext.current().attempt() == 1) {
            throw IOException("first")
        }
        return listOf(before, after, elsewhere)
    }

    @RetryOn(IOException::class)
    open suspend fun outer(self: Shop): List<String> {
        delay(1)
        if (RetryContext.current().attempt() == 1) {
            throw IOException("first")
        }
        return listOf(here(), self.inner(), here())
    }

    @RetryOn(IOException::class)
    open suspend fun inner(): String {
        delay(1)
        if (RetryContext.current().attempt() < 3) {
            throw IOException("again")
        }
        return here()
    }

    @RetryOn(IOException::class)
    open suspend fun numbered(number: Int): String {
        delay(1)
        val attempt = RetryContext.current().attempt()
        if (attempt <= number % 3) {
            throw IOException("again")
        }
        return "$number at $attempt"
    }

    private fun here(): String = RetryContext.current().let { "${it.name()} ${it.attempt()}" }

    private suspend fun down(): String {
        delay(1)
        throw IOException("down at ${RetryContext.current().attempt()}")
    }
}

open class Misfit {

    @RetryOn(IOException::class, recover = "later")
    open fun find(): String = "found"

    suspend fun later(error: IOException): String {
        delay(1)
        return "none"
    }
}

open class SuspendedPreparation {

    @RetryOn(IOException::class, beforeRetry = "prepare")
    open suspend fun find(order: String): String = order

    suspend fun prepare(order: String) {
        delay(1)
    }
}

open class PolledFlow {

    @RetryOn(retryIf = "#result == null")
    open fun poll(): Flow<String> = flowOf("ok")
}

open class ContinuationGate {

    @RetryOn(IOException::class, onlyIf = "#p1 == null")
    open suspend fun find(order: String): String = order
}
