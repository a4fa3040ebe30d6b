// SPDX-License-Identifier: Apache-2.0
package dev.retryon.kotlin.spring

import dev.retryon.spring.RetryOn
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import java.io.IOException

/** What is said of Kotlin code that can't be retried as it is written. */
class KotlinFaultsTests {

    private val runner = ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration::class.java))

    @Test
    fun aClassThatIsNotOpenIsAFaultThatNamesTheCompilerPlugin() {
        runner.withBean(NotOpen::class.java).run { context ->
            assertThat(context).failure.hasMessageContaining(
                NotOpen::class.java.name + ": the class is final, so no proxy can retry its methods; apply the Kotlin" +
                    " compiler plugin 'spring', or declare the class and its methods open",
            )
        }
    }

    @Test
    fun aFunctionThatIsNotOpenIsAFault() {
        runner.withBean(OpenClass::class.java).run { context ->
            assertThat(context).failure.hasMessageContaining(
                "@RetryOn on " + OpenClass::class.java.name + ".charge: the method is final",
            )
        }
    }

    @Test
    fun retryIfOfASuspendFunctionThatReturnsNothingIsAFault() {
        runner.withBean(Notifier::class.java).run { context ->
            assertThat(context).failure.hasMessageContaining("the method returns no value to check")
        }
    }
}

class NotOpen {

    @RetryOn(IOException::class)
    fun charge() = Unit
}

open class OpenClass {

    @RetryOn(IOException::class)
    fun charge() = Unit
}

open class Notifier {

    @RetryOn(retryIf = "#result == null")
    open suspend fun notify(order: String) = Unit
}
