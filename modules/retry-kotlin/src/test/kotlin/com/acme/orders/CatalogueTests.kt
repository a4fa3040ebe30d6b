// SPDX-License-Identifier: Apache-2.0
package com.acme.orders

import dev.retryon.RetryContext
import dev.retryon.kotlin.callSuspending
import dev.retryon.spring.RetryRegistry
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration
import dev.retryon.test.RecordedRetries
import dev.retryon.test.spring.VirtualRetriesConfiguration
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import java.io.IOException
import java.time.Duration
import kotlin.time.Duration.Companion.seconds

/** The examples of the guide to Kotlin, in an application. */
class CatalogueTests {

    private val runner = ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration::class.java))
        .withUserConfiguration(VirtualRetriesConfiguration::class.java)
        .withPropertyValues(
            "retryon.policies.payments.exceptions=java.io.IOException",
            "retryon.policies.payments.max-attempts=4",
        )
        .withBean(PageSource::class.java, { PageSource { failing(it) } })
        .withBean(Catalogue::class.java)

    private fun failing(name: String): Page {
        val attempt = RetryContext.current().attempt()
        if (attempt < 3) throw IOException("down")
        return Page("$name at $attempt")
    }

    @Test
    fun aRetryOfTheRegistryKnowsTheApplication() {
        runner.run { context ->
            val page = runBlocking { withTimeout(60.seconds) { context.getBean(Catalogue::class.java).page("index") } }
            assertThat(page.name).isEqualTo("index at 3")
            assertThat(context.getBean(RecordedRetries::class.java)).of("catalogue").attempted(3).succeeded()
        }
    }

    @Test
    fun suspendingCodeRunsUnderANamedPolicy() {
        runner.run { context ->
            val payments = context.getBean(RetryRegistry::class.java).retry("payments")
            val error = runBlocking {
                withTimeout(60.seconds) {
                    runCatching { payments.callSuspending<String> { throw IOException("down") } }.exceptionOrNull()
                }
            }
            assertThat(error).isInstanceOf(IOException::class.java).hasMessage("down")
            assertThat(context.getBean(RecordedRetries::class.java)).of("payments").attempted(4)
        }
    }

    @Test
    fun aRetryWithoutSpringHasItsPolicy() {
        assertThat(mail.policy().attemptTimeout()).isEqualTo(Duration.ofSeconds(5))
        assertThat(mail.policy().timeout()).isEqualTo(Duration.ofMinutes(1))
    }
}
