/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.declaration

import dev.retryon.spring.RetryOn
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import java.io.IOException

/** A class of Kotlin is final unless it says otherwise, or a compiler plugin opens it. */
class FinalKotlinClassTests {

    @Test
    fun theFaultNamesTheCompilerPlugin() {
        ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration::class.java))
            .withBean(Receipts::class.java)
            .run { context ->
                assertThat(context.startupFailure)
                    .hasMessageContaining(Receipts::class.java.name)
                    .hasMessageContaining(
                        "the class is final, so no proxy can retry its methods; apply the Kotlin compiler plugin" +
                            " 'spring', or declare the class and its methods open",
                    )
            }
    }

    class Receipts {

        @RetryOn(IOException::class)
        fun print(): String = "printed"
    }
}
