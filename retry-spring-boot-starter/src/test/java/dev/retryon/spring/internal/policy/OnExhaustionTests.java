// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.ExhaustionAction;
import dev.retryon.FailedCall;
import dev.retryon.RetryPolicy;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryEngineCustomizer;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.settings.Setting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Every layer can say that calls which fail for good are kept. */
class OnExhaustionTests {

    private static final String MAILS = Mails.class.getName();

    private final List<FailedCall> kept = new ArrayList<>();

    private final ApplicationContextRunner runner = Applications.retrying()
            .withBean(Mails.class)
            .withBean(RetryEngineCustomizer.class, () -> engine -> engine.deadLetters(kept::add));

    @Test
    void theAnnotationKeepsCalls() {
        runner.run(context -> {
            assertThat(policy(context, "kept").onExhaustion()).isEqualTo(ExhaustionAction.DEAD_LETTER);
            assertThatThrownBy(() -> context.getBean(Mails.class).kept()).isInstanceOf(IOException.class);
            assertThat(kept).hasSize(1);
        });
    }

    @Test
    void nothingIsKeptByDefault() {
        runner.run(context -> {
            assertThat(method(context, "plain").settings().source(Setting.ON_EXHAUSTION))
                    .isEqualTo("default");
            assertThatThrownBy(() -> context.getBean(Mails.class).plain()).isInstanceOf(IOException.class);
            assertThat(kept).isEmpty();
        });
    }

    @Test
    void theDefaultsAreWeakerThanAnAnnotation() {
        runner.withPropertyValues("retryon.defaults.on-exhaustion=dead-letter").run(context -> {
            assertThat(policy(context, "plain").onExhaustion()).isEqualTo(ExhaustionAction.DEAD_LETTER);
            assertThat(policy(context, "thrown").onExhaustion()).isEqualTo(ExhaustionAction.RETHROW);
        });
    }

    @Test
    void theOperatorIsStrongerThanAnAnnotation() {
        runner.withPropertyValues("retryon.methods[" + MAILS + "#kept].on-exhaustion=RETHROW")
                .run(context ->
                        assertThat(policy(context, "kept").onExhaustion()).isEqualTo(ExhaustionAction.RETHROW));
    }

    @Test
    void oneCallCanBeKept() {
        runner.run(context -> {
            assertThatThrownBy(() -> Retries.with(call -> call.onExhaustion(ExhaustionAction.DEAD_LETTER))
                            .run(() -> context.getBean(Mails.class).plain()))
                    .isInstanceOf(IOException.class);
            assertThat(kept).hasSize(1);
        });
    }

    @Test
    void anUnknownValueIsAFault() {
        runner.withPropertyValues("retryon.defaults.on-exhaustion=bury")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasMessageContaining("retryon.defaults.on-exhaustion: is 'bury', but must be one of"
                                + " rethrow, dead-letter, discard"));
    }

    @Test
    void aPropertyCanNotInherit() {
        runner.withPropertyValues("retryon.defaults.on-exhaustion=inherit")
                .run(
                        context -> assertThat(context.getStartupFailure())
                                .hasMessageContaining(
                                        "retryon.defaults.on-exhaustion: is 'inherit', but must be one of rethrow, dead-letter, discard"));
    }

    private static RetryPolicy policy(BeanFactory beans, String method) {
        return method(beans, method).policy();
    }

    private static RetriedMethod method(BeanFactory beans, String method) {
        return beans.getBean(NamedRetries.class).methods("Mails." + method).get(0);
    }

    static class Mails {

        @RetryOn(value = IOException.class, maxAttempts = 1, onExhaustion = dev.retryon.spring.OnExhaustion.DEAD_LETTER)
        public void kept() throws IOException {
            throw new IOException("down");
        }

        @RetryOn(value = IOException.class, maxAttempts = 1)
        public void plain() throws IOException {
            throw new IOException("down");
        }

        @RetryOn(value = IOException.class, maxAttempts = 1, onExhaustion = dev.retryon.spring.OnExhaustion.RETHROW)
        public void thrown() throws IOException {
            throw new IOException("down");
        }
    }
}
