// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import dev.retryon.backoff.Jitter;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetrySettingsBuilder;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;

/** How layers are laid over each other, and who said what. */
class EffectiveSettingsTests {

    @Test
    void startsWithTheBuiltInDefaults() {
        EffectiveSettings defaults = EffectiveSettings.defaults();
        assertThat(defaults.get(Setting.MAX_ATTEMPTS)).isEqualTo(3);
        assertThat(defaults.get(Setting.BACKOFF)).isEqualTo("exponential");
        assertThat(defaults.get(Setting.DELAY)).isEqualTo(Duration.ofSeconds(1));
        assertThat(defaults.get(Setting.MULTIPLIER)).isEqualTo(2.0);
        assertThat(defaults.get(Setting.MAX_DELAY)).isEqualTo(Duration.ofMinutes(5));
        assertThat(defaults.get(Setting.JITTER)).isEqualTo(Jitter.proportional(0.5));
        assertThat(defaults.values()).doesNotContainKeys(Setting.EXCEPTIONS, Setting.EXCLUDES, Setting.TIMEOUT);
        assertThat(defaults.source(Setting.TIMEOUT)).isEqualTo("default");
        assertThat(defaults.isSet(Setting.MAX_ATTEMPTS)).isFalse();
    }

    @Test
    void aStrongerScalarReplacesAndIsTheOnlySource() {
        EffectiveSettings settings = EffectiveSettings.defaults()
                .with(List.of(
                        layer(
                                "weak",
                                RetrySettings.builder()
                                        .set(Setting.MAX_ATTEMPTS, 4)
                                        .set(Setting.DELAY, Duration.ofSeconds(2))),
                        layer("strong", RetrySettings.builder().set(Setting.MAX_ATTEMPTS, 5))));
        assertThat(settings.get(Setting.MAX_ATTEMPTS)).isEqualTo(5);
        assertThat(settings.source(Setting.MAX_ATTEMPTS)).isEqualTo("retryon.policies.strong");
        assertThat(settings.source(Setting.DELAY)).isEqualTo("retryon.policies.weak");
        assertThat(settings.isSet(Setting.MAX_ATTEMPTS)).isTrue();
    }

    @Test
    void listsAddUpInTheirOrderWithoutDoubles() {
        EffectiveSettings settings = EffectiveSettings.defaults()
                .with(List.of(
                        layer("weak", RetrySettings.builder().set(Setting.EXCEPTIONS, Set.of(IOException.class))),
                        layer("silent", RetrySettings.builder().set(Setting.MAX_ATTEMPTS, 2)),
                        layer(
                                "strong",
                                RetrySettings.builder()
                                        .set(Setting.EXCEPTIONS, Set.of(TimeoutException.class, IOException.class))),
                        layer(
                                "strong",
                                RetrySettings.builder().set(Setting.EXCEPTIONS, Set.of(IllegalStateException.class)))));
        EffectiveSettings.Value<Set<Class<? extends Throwable>>> exceptions = settings.value(Setting.EXCEPTIONS);
        assertThat(new ArrayList<Object>(exceptions.value()))
                .containsExactly(IOException.class, TimeoutException.class, IllegalStateException.class);
        assertThat(exceptions.sources()).containsExactly(SettingSource.policy("weak"), SettingSource.policy("strong"));
        assertThat(exceptions.source()).isEqualTo("retryon.policies.weak, retryon.policies.strong");
    }

    @Test
    void layersAreLeftAsTheyAre() {
        EffectiveSettings weak = EffectiveSettings.defaults()
                .with(layer("weak", RetrySettings.builder().set(Setting.EXCEPTIONS, Set.of(IOException.class))));
        weak.with(layer("strong", RetrySettings.builder().set(Setting.EXCEPTIONS, Set.of(TimeoutException.class))));
        assertThat(weak.get(Setting.EXCEPTIONS)).isEqualTo(Set.of(IOException.class));
        assertThat(EffectiveSettings.defaults().values()).doesNotContainKey(Setting.EXCEPTIONS);
    }

    @Test
    void aLayerThatSaysNothingChangesNothing() {
        assertThat(EffectiveSettings.defaults().with(layer("silent", RetrySettings.builder())))
                .isSameAs(EffectiveSettings.defaults());
    }

    @Test
    void aSettingThatEqualsTheDefaultStillCountsAsSet() {
        EffectiveSettings settings = EffectiveSettings.defaults()
                .with(layer("somebody", RetrySettings.builder().set(Setting.MAX_ATTEMPTS, 3)));
        assertThat(settings.isSet(Setting.MAX_ATTEMPTS)).isTrue();
    }

    @Test
    void settersRejectBadValuesAtOnce() {
        assertRejected(call -> call.maxAttempts(-1)).withMessageContaining("'-1'");
        assertRejected(call -> call.delay(Duration.ofMillis(-1)));
        assertRejected(call -> call.maxDelay(Duration.ofMillis(-1)));
        assertRejected(call -> call.timeout(Duration.ofMillis(-1)));
        assertRejected(call -> call.multiplier(0.9));
        assertRejected(call -> call.multiplier(Double.NaN));
        assertRejected(call -> call.nonRetryableErrors("a", " "));
        assertThatNullPointerException()
                .isThrownBy(() -> Retries.with(call -> call.backoff(null)))
                .withMessage("backoff");
    }

    private static ThrowableAssertAlternative<IllegalArgumentException> assertRejected(
            Consumer<RetrySettingsBuilder> override) {
        return assertThatIllegalArgumentException().isThrownBy(() -> Retries.with(override));
    }

    @Test
    void builtSettingsDoNotChangeWithTheirBuilder() {
        RetrySettings.Builder builder = RetrySettings.builder().set(Setting.EXCEPTIONS, Set.of(IOException.class));
        RetrySettings built = builder.build();
        builder.set(Setting.EXCEPTIONS, Set.of(TimeoutException.class)).set(Setting.MAX_ATTEMPTS, 2);
        assertThat(built.values()).containsOnlyKeys(Setting.EXCEPTIONS);
        assertThat(built.values().get(Setting.EXCEPTIONS)).isEqualTo(Set.of(IOException.class));
    }

    private static RetrySettings layer(String source, RetrySettings.Builder settings) {
        return settings.build().from(SettingSource.policy(source));
    }
}
