// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.DoNotRetry;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What Spring Boot prints about what it reads otherwise than its author meant it, or would not read at all. */
@ExtendWith(OutputCaptureExtension.class)
class MisreadFaultsTests {

    private final CapturedOutput output;

    MisreadFaultsTests(CapturedOutput output) {
        this.output = output;
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "on"})
    void aValueInThePlaceOfAllBlocks(String value) {
        assertThat(BootRun.of("value of retryon", "retryon: '" + value + "'\n").failure(output))
                .contains(
                        "The retry configuration has a fault:\n\n  - retryon (class path resource [application.yml] - 1:10)\n"
                                + "      is '" + value + "', but must be a block of properties\n");
    }

    @Test
    void anEmptyBlockIsNone() {
        BootRun.of("", "retryon:\nlogging:\n").start().close();
    }

    @Test
    void aPlaceholderWithoutAnEnd() {
        assertThat(BootRun.of("placeholder without an end", "retryon.defaults.delay: ${pay.delay\n")
                        .failure(output))
                .contains("is '${pay.delay', but its placeholder does not end with }\n");
        assertThat(BootRun.of("placeholder of an annotation without an end", "", Unclosed.class)
                        .failure(output))
                .contains("delay is '${pay.delay', but its placeholder does not end with }\n");
    }

    @Test
    void aPlaceholderThatGivesWhatDoesNotFit() {
        assertThat(BootRun.of("placeholders that give what does not fit", """
                                pay.delay: 2x
                                retryon:
                                  defaults:
                                    delay: ${pay.delay}
                                    max-attempts: ${pay.attempts:three}
                                    exceptions: ${pay.errors:com.acme.Nope}
                                """).failure(output))
                .contains("is '${pay.delay}', which resolves to '2x', but must be a duration such as ")
                .contains("is '${pay.attempts:three}', which resolves to 'three', but must be a whole number")
                .contains("contains 'com.acme.Nope', but must list full names of exception classes")
                .doesNotContain("no property resolves");
    }

    @Test
    void aPropertyThatRefersToItself() {
        assertThat(BootRun.of(
                                "circular placeholder",
                                "pay.delay: ${pay.pause}\npay.pause: ${pay.delay}\n",
                                Circular.class)
                        .failure(output))
                .contains("delay is '${pay.delay}', but property 'pay.delay' refers to itself through placeholders\n");
    }

    @Test
    void aMethodThatIsToBeRetriedAndNotToBe() {
        BootRun.of("", "", Undecided.class).start().close();

        assertThat(
                        output.toString()
                                .split(
                                        Undecided.class.getName().replace("$", "\\$")
                                                + "\\.charge has both @RetryOn and @DoNotRetry, so it is not retried; remove one of them"))
                .hasSize(2);
        assertThat(output).doesNotContain(Undecided.class.getName() + ".refund");
    }

    static class Unclosed {

        @RetryOn(value = IOException.class, delay = "${pay.delay")
        public void charge() {}
    }

    static class Circular {

        @RetryOn(value = IOException.class, delay = "${pay.delay}")
        public void charge() {}
    }

    @RetryOn(IOException.class)
    static class Undecided {

        @RetryOn(IOException.class)
        @DoNotRetry
        public void charge() {}

        @DoNotRetry
        public void refund() {}

        public void send() {}
    }
}
