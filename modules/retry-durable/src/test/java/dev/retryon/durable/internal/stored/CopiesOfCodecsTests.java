// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.stored;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.durable.Codec;
import dev.retryon.durable.CodecException;
import dev.retryon.spring.Redacted;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is compared of arguments that a codec of the application has encoded, and what is told of it. */
class CopiesOfCodecsTests {

    /** Encodes everything to another text each time, and decodes what it is told to. */
    private static class Nonces implements Codec {

        private final UnaryOperator<@Nullable Object> copy;

        private @Nullable Object last;

        private int nonce;

        Nonces(UnaryOperator<@Nullable Object> copy) {
            this.copy = copy;
        }

        @Override
        public String encode(@Nullable Object argument, Type type) {
            last = argument;
            return "\"" + nonce++ + "\"";
        }

        @Override
        public @Nullable Object decode(String json, Type type) {
            return copy.apply(last);
        }
    }

    private static void encode(Codec codec, String name, @Nullable Object argument) {
        Method method = Arrays.stream(Methods.class.getDeclaredMethods())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
        new StoredArguments(() -> codec, 1000).encode(Methods.class, method, new @Nullable Object[] {argument});
    }

    private interface Methods {

        void plain(Object it);

        void collection(Iterable<String> it);

        void secret(@Redacted Object it);
    }

    /** Compares nothing: two with the same content are not equal. */
    static class Opaque {}

    static class Special extends Opaque {}

    static List<UnaryOperator<@Nullable Object>> copies() {
        return List.of(copy -> copy, copy -> copy == null ? null : new Opaque());
    }

    @ParameterizedTest
    @MethodSource("copies")
    void anObjectOfTheApplicationIsComparedByItsClassAlone(UnaryOperator<@Nullable Object> copy) {
        assertThatCode(() -> encode(new Nonces(copy), "plain", new Opaque())).doesNotThrowAnyException();
        assertThatCode(() -> encode(new Nonces(copy), "plain", null)).doesNotThrowAnyException();
    }

    @Test
    void aSubclassThatIsLostIsRefused() {
        assertThatExceptionOfType(CodecException.class)
                .isThrownBy(() -> encode(new Nonces(copy -> new Opaque()), "plain", new Special()))
                .withMessageContaining("$Special is read back as a ")
                .withMessageContaining("$Opaque");
    }

    @Test
    void aValueOfTheJdkThatIsNotEqualIsRefused() {
        assertThatExceptionOfType(CodecException.class)
                .isThrownBy(() -> encode(new Nonces(copy -> "b"), "plain", "a"))
                .withMessageContaining("a java.lang.String is not equal after it was stored and read");
        assertThatExceptionOfType(CodecException.class)
                .isThrownBy(() -> encode(new Nonces(copy -> 5), "plain", 5L))
                .withMessageContaining("a java.lang.Long is read back as a java.lang.Integer");
    }

    @Test
    void anotherOrderOfASetWithoutOrderIsNoDifference() {
        Set<String> numbers = new HashSet<>(10_000);
        for (int i = 0; i < 500; i++) {
            numbers.add("x" + i * 7919);
        }

        assertThatCode(() -> encode(new Nonces(copy -> new HashSet<>(numbers)), "plain", numbers))
                .doesNotThrowAnyException();
        numbers.remove("x0");
        assertThatExceptionOfType(CodecException.class)
                .isThrownBy(() -> encode(new Nonces(copy -> new HashSet<>(List.of("x0"))), "plain", Set.of("x1")));
    }

    @Test
    void elementsAreCompared() {
        assertThatExceptionOfType(CodecException.class)
                .isThrownBy(() -> encode(
                        new Nonces(copy -> new ArrayList<>(List.of(Map.of("a", 5)))),
                        "plain",
                        List.of(Map.of("a", 5L))))
                .withMessageContaining("at [][] a java.lang.Long is read back as a java.lang.Integer");
        assertThatCode(() -> encode(new Nonces(copy -> new ArrayList<>(List.of("a"))), "collection", Set.of("a")))
                .doesNotThrowAnyException();
        assertThatExceptionOfType(CodecException.class)
                .isThrownBy(() -> encode(new Nonces(copy -> new ArrayList<>(List.of("a"))), "plain", Set.of("a")));
    }

    @Test
    void aMessageAboutARedactedArgumentSaysNothingOfIt() {
        assertThatExceptionOfType(CodecException.class)
                .isThrownBy(() -> encode(new Nonces(copy -> "b"), "secret", "a"))
                .withMessageEndingWith("can't be stored, because it would change when it is read back");
    }

    @Test
    void aComparisonThatFailsIsARefusal() {
        Codec codec = new Nonces(copy -> copy) {

            @Override
            public @Nullable String difference(@Nullable Object argument, @Nullable Object decoded, Type type) {
                throw new StackOverflowError();
            }
        };

        assertThatExceptionOfType(CodecException.class)
                .isThrownBy(() -> encode(codec, "plain", "a"))
                .withMessageContaining("can't be compared");
    }

    @Test
    void aCodecMayCompareAsItLikes() {
        Codec codec = new Nonces(copy -> "b") {

            @Override
            public @Nullable String difference(@Nullable Object argument, @Nullable Object decoded, Type type) {
                return null;
            }
        };

        assertThatCode(() -> encode(codec, "plain", "a")).doesNotThrowAnyException();
        assertThat(Codec.jackson().doubts(String.class)).isEmpty();
    }
}
