// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.util.ReflectionUtils;

/** Many kinds of arguments: each comes back equal and of the same class, or is refused before the call is accepted. */
class ArgumentKindsTests {

    private static final StoredArguments ARGUMENTS = new StoredArguments(List.of(), 64 * 1024);

    /** A method with one parameter, of the type that a subclass gives for {@code T}, and an argument for it. */
    abstract static class Kind<T extends @Nullable Object> {

        private final String name;

        private final T argument;

        Kind(String name, T argument) {
            this.name = name;
            this.argument = argument;
        }

        void take(T it) {}

        Method method() {
            return Arrays.stream(ReflectionUtils.getDeclaredMethods(Kind.class))
                    .filter(method -> method.getName().equals("take"))
                    .findFirst()
                    .orElseThrow();
        }

        String encode() {
            return ARGUMENTS.encode(getClass(), method(), new @Nullable Object[] {argument});
        }

        @Nullable Object back() {
            return ARGUMENTS.decode(getClass(), method(), encode())[0];
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Kind<?>> kept() {
        return Stream.of(KeptKinds.all(), KeptBeans.all(), HiddenKinds.kept()).flatMap(kinds -> kinds);
    }

    static Stream<Kind<?>> refused() {
        return Stream.concat(RefusedKinds.all(), HiddenKinds.refused());
    }

    @ParameterizedTest
    @MethodSource("kept")
    void comesBackEqualAndOfTheSameClass(Kind<?> kind) {
        assertThat(ARGUMENTS.faults(kind.getClass(), kind.method())).isEmpty();

        assertSame(kind.argument, kind.back());
    }

    @ParameterizedTest
    @MethodSource("refused")
    void isRefusedBeforeItIsAccepted(Kind<?> kind) {
        assertThatIllegalArgumentException().isThrownBy(kind::encode);
    }

    /** Jackson 3.0 keeps its name, Jackson 3.1 does not. */
    @Test
    void anInternetAddressComesBackWithItsNameOrIsRefused() {
        Kind<InetAddress> kind = new Kind<InetAddress>("InetAddress", InetAddress.getLoopbackAddress()) {};
        Throwable refusal = catchThrowable(kind::encode);
        if (refusal == null) {
            assertThat(kind.back()).hasToString(kind.argument.toString());
        } else {
            assertThat(refusal).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void thereAreAtLeastSixtyKinds() {
        assertThat(Stream.concat(kept(), refused()).map(Kind::toString).distinct())
                .hasSizeGreaterThanOrEqualTo(60);
    }

    /** Of a collection its interface is promised; all other classes are the same. */
    private static void assertSame(@Nullable Object argument, @Nullable Object back) {
        if (argument instanceof HashSet && !(argument instanceof LinkedHashSet)) {
            assertThat(back).isEqualTo(argument);
        } else if (argument instanceof Collection<?> collection) {
            assertThat(back).isInstanceOf(argument instanceof List ? List.class : Collection.class);
            assertSameElements(collection, (Collection<?>) back);
        } else if (argument instanceof Map<?, ?> map) {
            assertSameElements(map.keySet(), ((Map<?, ?>) back).keySet());
            assertSameElements(map.values(), ((Map<?, ?>) back).values());
        } else if (argument instanceof Pattern || argument instanceof AtomicInteger || argument instanceof AtomicLong) {
            assertThat(back).hasSameClassAs(argument).hasToString(argument.toString());
        } else if (argument != null && argument.getClass().getName().startsWith("java.") && !isArray(argument)) {
            assertThat(back).isEqualTo(argument);
        } else {
            assertThat(back)
                    .usingRecursiveComparison()
                    .withStrictTypeChecking()
                    .withEqualsForType(Object::equals, BigDecimal.class)
                    .ignoringFieldsMatchingRegexes("(.*\\.)?anyOrder")
                    .isEqualTo(argument);
        }
    }

    private static boolean isArray(Object value) {
        return value.getClass().isArray();
    }

    private static void assertSameElements(Collection<?> expected, @Nullable Collection<?> back) {
        assertThat(back).hasSameSizeAs(expected);
        var others = back.iterator();
        for (Object element : expected) {
            assertSame(element, others.next());
        }
    }
}
