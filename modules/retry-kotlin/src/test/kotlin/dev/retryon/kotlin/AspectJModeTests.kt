// SPDX-License-Identifier: Apache-2.0
package dev.retryon.kotlin

import dev.retryon.DoNotRetry
import dev.retryon.aspects.RetryOnAspect
import dev.retryon.aspects.autoconfigure.RetryAspectsAutoConfiguration
import dev.retryon.spring.RetryConfigurationException
import dev.retryon.spring.RetryOn
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration
import org.aspectj.lang.JoinPoint
import org.aspectj.lang.ProceedingJoinPoint
import org.aspectj.lang.reflect.MethodSignature
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatExceptionOfType
import org.junit.jupiter.api.Test
import org.mockito.Mockito.mock
import org.mockito.Mockito.`when`
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import java.io.IOException

class AspectJModeTests {

    @Test
    fun aSuspendFunctionIsAFault() {
        ApplicationContextRunner()
            .withConfiguration(
                AutoConfigurations.of(RetryAutoConfiguration::class.java, RetryAspectsAutoConfiguration::class.java),
            )
            .withPropertyValues("retryon.mode=aspectj")
            .withBean(Pages::class.java)
            .run { context ->
                assertThat(context).failure.hasMessageContaining(
                    Pages::class.java.name + ".fetch: is a suspend function, which an aspect cannot retry;" +
                        " set retryon.mode=proxy, or use retry-kotlin",
                )
            }
    }

    @Test
    fun aSuspendFunctionOfAnObjectThatIsNoBeanIsAFaultOfItsCalls() {
        ApplicationContextRunner()
            .withConfiguration(
                AutoConfigurations.of(RetryAutoConfiguration::class.java, RetryAspectsAutoConfiguration::class.java),
            )
            .withPropertyValues("retryon.mode=aspectj")
            .run {
                assertThatExceptionOfType(RetryConfigurationException::class.java)
                    .isThrownBy { RetryOnAspect.aspectOf().retry(execution("fetch")) }
                    .withMessageContaining("fetch: is a suspend function, which an aspect cannot retry")
                assertThat(RetryOnAspect.aspectOf().retry(execution("once"))).isEqualTo("once")
            }
    }

    /** The execution of a woven function. */
    private fun execution(function: String): ProceedingJoinPoint {
        val signature = mock(MethodSignature::class.java)
        `when`(signature.method).thenReturn(Pages::class.java.declaredMethods.first { it.name == function })
        val execution = mock(ProceedingJoinPoint::class.java)
        `when`(execution.signature).thenReturn(signature)
        `when`(execution.staticPart).thenReturn(mock(JoinPoint.StaticPart::class.java))
        `when`(execution.`this`).thenReturn(Pages())
        `when`(execution.args).thenReturn(arrayOf("page", null))
        `when`(execution.proceed()).thenReturn(function)
        return execution
    }

    class Pages {

        @DoNotRetry
        @RetryOn(IOException::class)
        suspend fun once(name: String): String = name

        @RetryOn(IOException::class)
        suspend fun fetch(name: String): String = name
    }
}
