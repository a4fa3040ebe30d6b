/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.settings.EffectiveSettings;
import dev.retryon.spring.settings.Setting;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Sentences of the rules on layers and defaults that no other test is about. */
@ExtendWith(OutputCaptureExtension.class)
class RulesOfLayersTests {

    @Test
    void aMethodWithRetryIfAloneRetriesItsValuesAndNotItsErrors(CapturedOutput output) {
        Applications.retrying().withBean(Polling.class).run(context -> {
            Polling polling = context.getBean(Polling.class);

            assertThat(polling.poll(false)).isEqualTo("at 3");
            assertThat(polling.calls()).isEqualTo(3);
            assertThatIOException().isThrownBy(() -> polling.poll(true));
            assertThat(polling.calls()).isEqualTo(4);
            assertThat(output).doesNotContain("is never retried");
        });
    }

    @Test
    void theKeyOfABaseClassIsForTheBeansThatInheritFromIt() {
        String base = Base.class.getName();
        Applications.retrying()
                .withBean(Derived.class)
                .withPropertyValues(
                        "retryon.methods[" + base + "].max-attempts=7",
                        "retryon.methods[" + base + "#charge].multiplier=4",
                        "retryon.methods[" + Derived.class.getName() + "#charge].max-delay=9s")
                .run(context -> {
                    EffectiveSettings settings = Applications.settings(context, Derived.class, "charge");
                    assertThat(settings.get(Setting.MAX_ATTEMPTS)).isEqualTo(7);
                    assertThat(settings.source(Setting.MAX_ATTEMPTS)).isEqualTo("retryon.methods[" + base + "]");
                    assertThat(settings.get(Setting.MULTIPLIER)).isEqualTo(4.0);
                    assertThat(settings.get(Setting.MAX_DELAY)).hasSeconds(9);
                });
    }

    @Test
    void theKeyOfTheBeansOwnClassIsStrongerThanThatOfItsBaseClass() {
        Applications.retrying()
                .withBean(Derived.class)
                .withPropertyValues(
                        "retryon.methods[" + Derived.class.getName() + "].max-attempts=8",
                        "retryon.methods[" + Base.class.getName() + "].max-attempts=7")
                .run(context -> assertThat(Applications.settings(context, Derived.class, "charge")
                                .get(Setting.MAX_ATTEMPTS))
                        .isEqualTo(8));
    }

    static class Polling {

        private int calls;

        @RetryOn(retryIf = "#result == null", maxAttempts = 5)
        public String poll(boolean failing) throws IOException {
            calls++;
            if (failing) {
                throw new IOException("down");
            }
            return calls < 3 ? null : "at " + calls;
        }

        public int calls() {
            return calls;
        }
    }

    static class Base {

        @RetryOn(IOException.class)
        public String charge() throws IOException {
            return "charged";
        }
    }

    static class Derived extends Base {}
}
