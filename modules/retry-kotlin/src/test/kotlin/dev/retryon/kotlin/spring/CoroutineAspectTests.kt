// SPDX-License-Identifier: Apache-2.0
package dev.retryon.kotlin.spring

import dev.retryon.RetryContext
import dev.retryon.spring.RetryOn
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker
import io.github.resilience4j.springboot.circuitbreaker.autoconfigure.CircuitBreakerAutoConfiguration
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.aspectj.lang.ProceedingJoinPoint
import org.aspectj.lang.annotation.Around
import org.aspectj.lang.annotation.Aspect
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import java.io.IOException
import java.util.concurrent.CopyOnWriteArrayList

/** Aspects inside of the retries of suspend functions and flows, whose pointcuts bind arguments. */
class CoroutineAspectTests {

    private fun calling(test: suspend (AspectShop) -> Unit): List<String> {
        val seen = CopyOnWriteArrayList<String>()
        ApplicationContextRunner()
            .withConfiguration(
                AutoConfigurations.of(
                    AopAutoConfiguration::class.java,
                    CircuitBreakerAutoConfiguration::class.java,
                    RetryAutoConfiguration::class.java,
                ),
            )
            .withPropertyValues("retryon.defaults.backoff=none")
            .withBean(AspectShop::class.java)
            .withBean(MarkAspect::class.java)
            .run { context ->
                assertThat(context).hasNotFailed()
                runBlocking { withTimeout(60_000) { test(context.getBean(AspectShop::class.java)) } }
                seen += context.getBean(MarkAspect::class.java).seen
            }
        return seen
    }

    @Test
    fun seeEachAttemptOfASuspendFunction() {
        val seen = calling { shop -> assertThat(shop.find("tea")).isEqualTo("tea at 3") }
        assertThat(seen).containsExactly("find tea", "find tea", "find tea")
    }

    @Test
    fun seeEachAttemptOfASuspendFunctionOnAnotherThread() {
        val seen = calling { shop ->
            withContext(Dispatchers.Default) { assertThat(shop.find("tea")).isEqualTo("tea at 3") }
        }
        assertThat(seen).containsExactly("find tea", "find tea", "find tea")
    }

    @Test
    fun seeEachAttemptOfAFlow() {
        val seen = calling { shop -> assertThat(shop.items("tea").toList()).containsExactly("tea at 3") }
        assertThat(seen).containsExactly("items tea", "items tea", "items tea")
    }

    @Test
    fun seeEachAttemptOfASuspendFunctionThatReturnsAFlow() {
        val seen = calling { shop -> assertThat(shop.itemsLater("tea").toList()).containsExactly("tea at 3") }
        assertThat(seen).containsExactly("later tea", "later tea", "later tea")
    }

    @Test
    fun mayBeThoseOfResilience4j() {
        calling { shop ->
            assertThat(shop.guarded("tea")).isEqualTo("tea at 3")
            assertThat(shop.guardedItems("tea").toList()).containsExactly("tea at 3")
        }
    }
}

@Retention(AnnotationRetention.RUNTIME)
annotation class CoroutineMark(val value: String)

@Aspect
open class MarkAspect {

    open val seen = CopyOnWriteArrayList<String>()

    @Around("@annotation(mark) && args(item, ..)", argNames = "call,mark,item")
    open fun around(call: ProceedingJoinPoint, mark: CoroutineMark, item: String): Any? {
        seen += "${mark.value} $item"
        return call.proceed()
    }
}

@RetryOn(IOException::class)
open class AspectShop {

    @CoroutineMark("find")
    open suspend fun find(item: String) = later(item)

    @CoroutineMark("items")
    open fun items(item: String): Flow<String> {
        val attempt = RetryContext.current().attempt()
        return flow { emit(answer(item, attempt)) }
    }

    @CoroutineMark("later")
    open suspend fun itemsLater(item: String): Flow<String> {
        val answer = later(item)
        return flow { emit(answer) }
    }

    @CircuitBreaker(name = "shop")
    open suspend fun guarded(item: String) = later(item)

    @CircuitBreaker(name = "shop")
    open fun guardedItems(item: String): Flow<String> {
        val attempt = RetryContext.current().attempt()
        return flow { emit(answer(item, attempt)) }
    }

    private suspend fun later(item: String): String {
        val attempt = RetryContext.current().attempt()
        delay(1)
        return answer(item, attempt)
    }

    private fun answer(item: String, attempt: Int): String {
        if (attempt < 3) {
            throw IOException("down")
        }
        return "$item at $attempt"
    }
}
