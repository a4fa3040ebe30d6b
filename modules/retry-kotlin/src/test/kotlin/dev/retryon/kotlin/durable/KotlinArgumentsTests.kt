// SPDX-License-Identifier: Apache-2.0
package dev.retryon.kotlin.durable

import dev.retryon.durable.internal.invocation.StoredArguments
import java.time.Instant
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.util.ReflectionUtils

/** Data classes and suspend functions of Kotlin. */
class KotlinArgumentsTests {

    data class Line(val name: String, val count: Int = 1, val isGift: Boolean = false)

    data class Order(val id: String, val lines: List<Line>, val at: Instant, val note: String? = null)

    @Suppress("RedundantSuspendModifier", "UNUSED_PARAMETER")
    class Orders {

        suspend fun place(order: Order, times: Int): String = order.id

        suspend fun handle(handler: (String) -> Unit) = handler("")
    }

    private val arguments = StoredArguments(listOf(), 64 * 1024)

    private fun method(name: String) =
        ReflectionUtils.getAllDeclaredMethods(Orders::class.java).first { it.name == name }

    @Test
    fun argumentsOfSuspendFunctionsComeBackWithoutTheContinuation() {
        val order = Order("o1", listOf(Line("book", 2, true), Line("pen")), Instant.ofEpochMilli(5))

        val text = arguments.encode(Orders::class.java, method("place"), arrayOf(order, 3))

        assertThat(arguments.faults(Orders::class.java, method("place"))).isEmpty()
        assertThat(arguments.decode(Orders::class.java, method("place"), text)).containsExactly(order, 3)
    }

    @Test
    fun functionsAreFaults() {
        assertThat(arguments.faults(Orders::class.java, method("handle"))).singleElement().asString()
            .contains("a function cannot be stored as data; use the data that it works with")
    }
}
