// SPDX-License-Identifier: Apache-2.0
package dev.retryon.kotlin.durable

import com.fasterxml.jackson.annotation.JsonAlias
import com.fasterxml.jackson.annotation.JsonSubTypes
import com.fasterxml.jackson.annotation.JsonTypeInfo
import dev.retryon.durable.internal.invocation.StoredArguments
import java.math.BigDecimal
import java.time.LocalDate
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatIllegalArgumentException
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.MethodSource
import org.springframework.util.ReflectionUtils

/** Kinds of arguments that Kotlin code has: each comes back equal and of the same class, or is refused. */
class KotlinKindsTests {

    data class Line(val name: String, val count: Int = 1, val isGift: Boolean = false)

    data class Order(val id: String, val lines: List<Line>, val note: String? = "none", var due: LocalDate? = null)

    data class Box<T>(val content: T)

    data class Untyped(val values: Map<String, Any?>)

    @JvmInline
    value class Sku(val text: String)

    data class Item(val sku: Sku, val price: BigDecimal)

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(
        JsonSubTypes.Type(value = Paid::class, name = "paid"), JsonSubTypes.Type(value = Open::class, name = "open"))
    sealed interface State

    data class Paid(val cents: Long) : State

    data object Open : State

    enum class Colour { RED { override fun dark() = true }; abstract fun dark(): Boolean }

    open class Customer(val name: String) {
        override fun equals(other: Any?) = other is Customer && other.name == name
        override fun hashCode() = name.hashCode()
    }

    class Vip(name: String) : Customer(name)

    @Suppress("UNUSED_PARAMETER")
    class Methods {
        fun order(it: Order) = Unit
        fun lines(it: List<Line>) = Unit
        fun pair(it: Pair<String, Line>) = Unit
        fun triple(it: Triple<Int, Long, Double>) = Unit
        fun range(it: Map<String, List<Int>>) = Unit
        fun set(it: Set<String>) = Unit
        fun box(it: Box<Line>) = Unit
        fun item(it: Item) = Unit
        fun states(it: List<State>) = Unit
        fun colour(it: Colour) = Unit
        fun nullable(it: String?) = Unit
        fun untyped(it: Untyped) = Unit
        fun customer(it: Customer) = Unit
        fun customers(it: List<Customer>) = Unit
        fun renamed(@JsonAlias("amount") cents: Int, to: String) = Unit
    }

    private val arguments = StoredArguments(listOf(), 64 * 1024)

    private fun method(name: String) = ReflectionUtils.getDeclaredMethods(Methods::class.java).first { it.name == name }

    private fun back(name: String, argument: Any?): Any? {
        val text = arguments.encode(Methods::class.java, method(name), arrayOf(argument))
        return arguments.decode(Methods::class.java, method(name), text)[0]
    }

    @ParameterizedTest
    @MethodSource("kept")
    fun comesBackEqual(name: String, argument: Any?) {
        assertThat(back(name, argument)).isEqualTo(argument)
    }

    @ParameterizedTest
    @MethodSource("refused")
    fun isRefusedBeforeItIsAccepted(name: String, argument: Any?) {
        assertThatIllegalArgumentException().isThrownBy { back(name, argument) }
    }

    @Test
    fun aNullablePropertyWithADefaultStaysNull() {
        assertThat(back("order", Order("o1", listOf(), null))).isEqualTo(Order("o1", listOf(), null))
    }

    @Test
    fun anAddedPropertyHasTheDefaultOfTheConstructor() {
        assertThat(arguments.decode(Methods::class.java, method("lines"), """{"it":[{"name":"a"}]}"""))
            .containsExactly(listOf(Line("a", 1, false)))
    }

    @Test
    fun aParameterHasItsNameAndItsAlias() {
        assertThat(arguments.decode(Methods::class.java, method("renamed"), """{"to":"a","amount":5}"""))
            .containsExactly(5, "a")
    }

    companion object {

        @JvmStatic
        fun kept() = listOf(
            arrayOf<Any?>("order", Order("o1", listOf(Line("book", 2, true), Line("pen")), due = LocalDate.EPOCH)),
            arrayOf<Any?>("lines", listOf(Line("a"), Line("b"))),
            arrayOf<Any?>("lines", emptyList<Line>()),
            arrayOf<Any?>("lines", listOf(Line("a"))),
            arrayOf<Any?>("lines", mutableListOf(Line("a"))),
            arrayOf<Any?>("pair", "a" to Line("b")),
            arrayOf<Any?>("triple", Triple(1, 2L, 0.5)),
            arrayOf<Any?>("range", mapOf("a" to (1..3).toList())),
            arrayOf<Any?>("set", setOf("z", "a")),
            arrayOf<Any?>("set", emptySet<String>()),
            arrayOf<Any?>("box", Box(Line("a"))),
            arrayOf<Any?>("item", Item(Sku("4711"), BigDecimal("1.10"))),
            arrayOf<Any?>("states", listOf(Paid(5), Open)),
            arrayOf<Any?>("colour", Colour.RED),
            arrayOf<Any?>("nullable", null),
            arrayOf<Any?>("untyped", Untyped(mapOf("a" to 1, "b" to null, "c" to BigDecimal("0.10")))),
            arrayOf<Any?>("customer", Customer("a")))

        @JvmStatic
        fun refused() = listOf(
            arrayOf<Any?>("untyped", Untyped(mapOf("a" to 1L))),
            arrayOf<Any?>("untyped", Untyped(mapOf("a" to Line("b")))),
            arrayOf<Any?>("customer", Vip("a")),
            arrayOf<Any?>("customers", listOf(Customer("a"), Vip("b"))))
    }
}
