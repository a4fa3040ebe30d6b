// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.annotation.JsonAlias;
import dev.retryon.durable.Redacted;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.ReflectionUtils;

/** Arguments are stored by the names of their parameters, if the method was compiled with them. */
class ArgumentNamesTests {

    private static final StoredArguments ARGUMENTS = new StoredArguments(List.of(), 64 * 1024);

    /** Classes of the JDK are compiled without the names of parameters. */
    private static final Method NAMELESS = method(String.class, "regionMatches", 4);

    private static final Method PAY = method(Payments.class, "pay", 2);

    private interface Payments {

        void pay(@JsonAlias({"sender", "from"}) String payer, @Redacted @JsonAlias("payer") String card);
    }

    private static Method method(Class<?> type, String name, int count) {
        return Arrays.stream(ReflectionUtils.getDeclaredMethods(type))
                .filter(method -> method.getName().equals(name) && method.getParameterCount() == count)
                .findFirst()
                .orElseThrow();
    }

    private static @Nullable Object[] decode(String text) {
        return ARGUMENTS.decode(Payments.class, PAY, text);
    }

    @Test
    void aNameMayBeWrittenWithEscapes() {
        assertThat(decode("{\"pay\\u0065r\":\"alice\",\"card\":\"1\"}")).containsExactly("alice", "1");
    }

    @Test
    void theOrderOfTheTextDoesNotMatter() {
        assertThat(ARGUMENTS.encode(Payments.class, PAY, new Object[] {"alice", "4111"}))
                .isEqualTo("{\"payer\":\"alice\",\"card\":\"4111\"}");
        assertThat(decode(" { \"card\" : \"4111\" , \"payer\" : \"a,}]\\\"\" } "))
                .containsExactly("a,}]\"", "4111");
    }

    @Test
    void anAliasIsAnotherNameUnlessAParameterHasThatNameNow() {
        assertThat(decode("{\"sender\":\"alice\",\"card\":\"4111\"}")).containsExactly("alice", "4111");
        assertThat(decode("{\"card\":\"4111\",\"from\":\"alice\"}")).containsExactly("alice", "4111");
        assertThat(decode("{\"payer\":\"alice\",\"card\":\"4111\"}")).containsExactly("alice", "4111");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"payer\":\"alice\"}",
                "{\"payer\":\"alice\",\"card\":\"1\",\"more\":\"2\"}",
                "{\"payer\":\"alice\",\"payer\":\"bob\",\"card\":\"1\"}",
                "{\"payer\":\"alice\",\"sender\":\"bob\",\"card\":\"1\"}",
                "{\"payer\":\"alice\",\"card\":}",
                "{\"payer\":\"alice\",\"card\"}",
                "{\"payer\":\"alice\",:\"1\"}",
                "{\"payer\":\"alice\",\"card\":\"1\",}",
                "{\"payer\":\"alice\",\"card\":\"1\"]",
                "{\"payer\":\"alice\",\"card\":\"1\"}}",
                "{\"payer\":\"alice\",\"card\":\"1\"",
                "{\"payer\":\"alice\",\"card",
                "{\"payer\":\"alice\",\"card\\",
                "{payer:\"alice\",card:\"1\"}",
                "[\"alice\"]"
            })
    void argumentsThatAreNotThoseOfTheParametersAreRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> decode(text))
                .satisfies(ex -> assertThat(ex.getMessage()).doesNotContain("alice", "bob"));
    }

    @Test
    void anArrayIsReadByTheOrderOfTheParameters() {
        assertThat(decode("[\"alice\",\"4111\"]")).containsExactly("alice", "4111");
    }

    @Test
    void argumentsOfAMethodWithoutNamesAreAnArray() {
        Object[] arguments = {3, "text", 0, 4};
        String text = ARGUMENTS.encode(String.class, NAMELESS, arguments);

        assertThat(text).isEqualTo("[3,\"text\",0,4]");
        assertThat(ARGUMENTS.decode(String.class, NAMELESS, text)).containsExactly(arguments);
        assertThat(StoredArguments.redact(parameters(NAMELESS), text)).isEqualTo(text);
    }

    @Test
    void argumentsWithNamesDoNotFitAMethodWithoutNames() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ARGUMENTS.decode(String.class, NAMELESS, "{\"a\":1,\"b\":\"\",\"c\":2,\"d\":3}"))
                .withMessageContaining("compile it with -parameters");
        assertThat(StoredArguments.redact(parameters(NAMELESS), "{\"a\":1}")).isEqualTo("{\"a\":\"[redacted]\"}");
    }

    @Test
    void anArgumentThatNoParameterHasIsHidden() {
        assertThat(StoredArguments.redact(
                        parameters(PAY), "{\"number\":\"4111\",\"sender\":\"alice\",\"c\\u0061rd\":\"4111\"}"))
                .isEqualTo("{\"number\":\"[redacted]\",\"sender\":\"alice\",\"card\":\"[redacted]\"}");
        assertThat(StoredArguments.redact(parameters(PAY), "{\"payer\":\"alice\",\"card\":\"4111\""))
                .isNull();
        assertThat(StoredArguments.redact(parameters(PAY), "{\"payer\":\"alice\"}]"))
                .isNull();
    }

    private static StoredParameters parameters(Method method) {
        return new StoredParameters(method.getDeclaringClass(), method);
    }
}
