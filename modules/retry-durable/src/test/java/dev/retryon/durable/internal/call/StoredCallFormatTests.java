// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.retryon.CallState;
import dev.retryon.ErrorText;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.Setting;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;

/** The JSON document of a stored call, which other versions of RetryOn read. */
class StoredCallFormatTests {

    private static final StoredCallFormat FORMAT = new StoredCallFormat(64 * 1024);

    private static final Instant START = Instant.parse("2026-11-22T15:20:00.125Z");

    private static CallContent call(String arguments) {
        CallState state = new CallState(
                "5f0d",
                2,
                Duration.ofMillis(1500),
                START,
                List.of(new CallState.Failed(
                        1, new ErrorText("java.io.IOException", null), Duration.ofMillis(1500), START)),
                new ErrorText("java.net.ConnectException", "Connection refused"),
                START.plusSeconds(2),
                START);
        return new CallContent(
                "com.acme.Mails#send(java.lang.String)",
                "Mails.send",
                "mails",
                arguments,
                state,
                Duration.ofSeconds(3),
                RetrySettings.builder()
                        .set(Setting.MAX_ATTEMPTS, 7)
                        .set(Setting.ONLY_IF, "true")
                        .build(),
                Map.of("mdc.user", "alice"));
    }

    private static String text(byte[] data) {
        return new String(data, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aCallIsADocumentWhoseFormStays() {
        assertThat(text(FORMAT.write(call("{\"text\":\"a\"}"))))
                .isEqualTo(
                        "{\"v\":1,\"key\":\"com.acme.Mails#send(java.lang.String)\",\"name\":\"Mails.send\","
                                + "\"bean\":\"mails\",\"args\":{\"text\":\"a\"},"
                                + "\"state\":{\"callId\":\"5f0d\",\"attempt\":2,\"lastDelay\":\"PT1.5S\",\"startedAt\":1795360800125,"
                                + "\"past\":[{\"number\":1,\"error\":{\"type\":\"java.io.IOException\"},\"delay\":\"PT1.5S\","
                                + "\"failedAt\":1795360800125}],"
                                + "\"error\":{\"type\":\"java.net.ConnectException\",\"message\":\"Connection refused\"},"
                                + "\"failedAt\":1795360802125,\"firstFailedAt\":1795360800125},"
                                + "\"delay\":\"PT3S\",\"override\":{\"maxAttempts\":\"7\"},\"context\":{\"mdc.user\":\"alice\"}}");
    }

    @Test
    void aCallComesBackAsItWas() {
        CallContent call = call("[]");

        CallContent back = FORMAT.read(FORMAT.write(call));

        assertThat(back).usingRecursiveComparison().ignoringFields("override").isEqualTo(call);
        assertThat(back.override().texts()).containsExactly(Map.entry("maxAttempts", "7"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":-0.0,\"b\":1.50,\"c\":1E+400,\"d\":12345678901234567890123,\"e\":0.1}",
                "[null,\"\\u0000 \\\" ä \uD83D\uDE00\",{\"a\":1,\"a\":2}]",
                "[]",
                "17"
            })
    void argumentsComeBackLetterByLetter(String arguments) {
        byte[] data = FORMAT.write(call(arguments));

        assertThat(FORMAT.read(data).arguments()).isEqualTo(arguments);
    }

    @Test
    void argumentsMayBeAsDeepAsTheyAreAlone() {
        String deep = "[".repeat(500) + "]".repeat(500);

        assertThat(FORMAT.read(FORMAT.write(call(deep))).arguments()).isEqualTo(deep);
    }

    @Test
    void argumentsCanNotAddFieldsToTheDocument() {
        assertThatExceptionOfType(JacksonException.class).isThrownBy(() -> FORMAT.write(call("[],\"key\":\"other\"")));
    }

    @Test
    void aDocumentIsRefusedByItsLengthBeforeItIsRead() {
        StoredCallFormat small = new StoredCallFormat(10);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> small.read(new byte[10 + 1024 * 1024 + 1]))
                .withMessage("it is 1048587 bytes long, but at most 1048586 are stored");
    }

    /** Control characters take six bytes each. */
    @Test
    void theLongestCallCanBeRead() {
        ErrorText error = new ErrorText("java.io.IOException", "\u0001".repeat(ErrorText.LONGEST));
        List<CallState.Failed> past = IntStream.rangeClosed(1, 1000)
                .mapToObj(number ->
                        new CallState.Failed(number, number > 990 ? error : null, Duration.ofMillis(3_723_456), START))
                .toList();
        Map<String, String> context = IntStream.range(0, 50)
                .boxed()
                .collect(Collectors.toMap(number -> "mdc.key " + number, number -> "\u0001".repeat(500)));
        CallContent longest = new CallContent(
                "com.acme.Mails#send(java.lang.String)",
                "Mails.send",
                "mails",
                "[\"" + "x".repeat(64 * 1024 - 4) + "\"]",
                new CallState("5f0d", 1001, Duration.ZERO, START, past, error, START, START),
                Duration.ZERO,
                RetrySettings.NONE,
                context);

        assertThat(FORMAT.read(FORMAT.write(longest)).state()).isEqualTo(longest.state());
    }
}
