// SPDX-License-Identifier: Apache-2.0
package dev.retryon.kotlin

import dev.retryon.spring.RetryOn
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration
import dev.retryon.test.RecordedRetries
import dev.retryon.test.spring.FaultInjection
import dev.retryon.test.spring.VirtualRetriesConfiguration
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import java.io.IOException

/** Kotlin's methods declare no exceptions. */
class InjectedFaultsTests {

    private val runner = ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration::class.java))
        .withUserConfiguration(VirtualRetriesConfiguration::class.java, FlakyPages::class.java)
        .withBean(Pages::class.java)

    @Test
    fun methodsFailWithCheckedExceptions() {
        runner.run { context ->
            assertThat(context.getBean(Pages::class.java).stored("index")).isEqualTo("index")
            assertThat(context.getBean(RecordedRetries::class.java)).of("Pages.stored").attempted(2).succeeded()
        }
    }

    @Test
    fun suspendingMethodsFailWithCheckedExceptions() {
        runner.run { context ->
            val page = runBlocking { context.getBean(Pages::class.java).fetch("index") }
            assertThat(page).isEqualTo("index")
            assertThat(context.getBean(RecordedRetries::class.java)).of("Pages.fetch").attempted(3).succeeded()
        }
    }

    @Configuration(proxyBeanMethods = false)
    open class FlakyPages {

        companion object {

            @Bean
            @JvmStatic
            fun pageFaults(): FaultInjection<Pages> = FaultInjection.`in`(Pages::class.java)
                .fail("stored", 1, ::IOException)
                .fail("fetch", 2, ::IOException)
        }
    }

    open class Pages {

        @RetryOn(IOException::class)
        open fun stored(name: String): String = name

        @RetryOn(IOException::class)
        open suspend fun fetch(name: String): String = name
    }
}
