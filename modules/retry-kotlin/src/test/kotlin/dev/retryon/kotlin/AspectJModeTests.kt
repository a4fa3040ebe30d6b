/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.kotlin

import dev.retryon.aspects.autoconfigure.RetryAspectsAutoConfiguration
import dev.retryon.spring.RetryOn
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
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
                    Pages::class.java.name + ".fetch: is a suspend function, which an aspect can't retry;" +
                        " set retryon.mode=proxy, or use retry-kotlin",
                )
            }
    }

    class Pages {

        @RetryOn(IOException::class)
        suspend fun fetch(name: String): String = name
    }
}
