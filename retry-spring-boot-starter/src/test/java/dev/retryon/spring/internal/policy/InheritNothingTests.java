// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.Inherit;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingSource;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Annotations after which weaker ones count no more. */
class InheritNothingTests {

    private final ApplicationContextRunner runner = Applications.retrying()
            .withPropertyValues(
                    "retryon.policies.careful.max-attempts=9",
                    "retryon.policies.careful.excludes=java.util.concurrent.TimeoutException",
                    "retryon.policies.own.multiplier=3");

    @Test
    void aMethodTakesBackWhatItsBaseClassExcludes() {
        runner.withBean(Base.class).withBean(Files.class).run(context -> {
            assertThat(Applications.settings(context, Base.class, "read").get(Setting.EXCLUDES))
                    .containsExactly(TimeoutException.class, FileNotFoundException.class);
            EffectiveSettings settings = Applications.settings(context, Files.class, "read");
            assertThat(settings.get(Setting.EXCLUDES)).isNull();
            assertThat(settings.get(Setting.EXCEPTIONS)).containsExactly(FileNotFoundException.class);
        });
    }

    @Test
    void settingsPoliciesAndTheNameOfWeakerAnnotationsAreGone() {
        runner.withBean(Files.class).run(context -> {
            MethodRetry method = Applications.method(context, Files.class, "read");
            assertThat(method.name()).isEqualTo("Files.read");
            assertThat(method.settings().source(Setting.MAX_ATTEMPTS)).isEqualTo("default");
        });
    }

    @Test
    void propertiesAndItsOwnPolicyStillCount() {
        runner.withBean(Files.class)
                .withPropertyValues(
                        "retryon.defaults.max-delay=7s",
                        "retryon.methods[" + Files.class.getName() + "#read].max-attempts=4")
                .run(context -> {
                    EffectiveSettings settings = Applications.settings(context, Files.class, "read");
                    assertThat(settings.source(Setting.MAX_DELAY)).isEqualTo("retryon.defaults");
                    assertThat(settings.source(Setting.MULTIPLIER)).isEqualTo("retryon.policies.own");
                    assertThat(settings.get(Setting.MAX_ATTEMPTS)).isEqualTo(4);
                });
    }

    @Test
    void strongerAnnotationsCount() {
        runner.withBean(Stronger.class).run(context -> {
            EffectiveSettings settings = Applications.settings(context, Stronger.class, "read");
            assertThat(settings.get(Setting.EXCLUDES))
                    .as("of the class, not of its base")
                    .isNull();
            assertThat(settings.get(Setting.EXCEPTIONS)).containsExactly(IOException.class, TimeoutException.class);
        });
    }

    @Test
    void anEarlierAnnotationOfTheSameElementIsWeaker() {
        runner.withBean(Repeated.class)
                .run(context -> assertThat(Applications.settings(context, Repeated.class, "read")
                                .get(Setting.EXCEPTIONS))
                        .containsExactly(TimeoutException.class, FileNotFoundException.class));
    }

    @Test
    void aComposedAnnotationCanSayIt() {
        runner.withBean(Composed.class)
                .run(context -> assertThat(Applications.settings(context, Composed.class, "read")
                                .get(Setting.EXCLUDES))
                        .isNull());
    }

    @Test
    void theAnnotationThatSaysItIsKnown() {
        runner.withBean(Files.class).withBean(Base.class).run(context -> {
            SettingSource barrier = Objects.requireNonNull(
                    Applications.method(context, Files.class, "read").barrier());
            assertThat(barrier.describe()).isEqualTo("@RetryOn on " + Files.class.getName() + ".read");
            assertThat(Applications.method(context, Base.class, "read").barrier())
                    .isNull();
        });
    }

    @RetryOn(policy = "careful")
    static class Base {

        @RetryOn(value = IOException.class, excludes = FileNotFoundException.class, name = "reading")
        public void read() throws IOException {}
    }

    static class Files extends Base {

        @Override
        @RetryOn(value = FileNotFoundException.class, policy = "own", inherit = Inherit.NONE)
        public void read() {}
    }

    @RetryOn(policy = "careful")
    static class Careful {}

    @RetryOn(value = IOException.class, inherit = Inherit.NONE)
    static class Stronger extends Careful {

        @RetryOn(TimeoutException.class)
        public void read() {}
    }

    static class Repeated {

        @RetryOn(IOException.class)
        @RetryOn(value = TimeoutException.class, inherit = Inherit.NONE)
        @RetryOn(FileNotFoundException.class)
        public void read() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @RetryOn(value = FileNotFoundException.class, inherit = Inherit.NONE)
    @interface RetryFiles {}

    static class Composed extends Base {

        @Override
        @RetryFiles
        public void read() {}
    }
}
