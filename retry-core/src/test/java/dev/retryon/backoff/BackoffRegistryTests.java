// SPDX-License-Identifier: Apache-2.0
package dev.retryon.backoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BackoffRegistryTests {

    private final BackoffRegistry registry = new BackoffRegistry();

    private final BackoffStrategy hourly = (retry, base, previous) -> Duration.ofHours(1);

    @Test
    void knowsTheBuiltInStrategies() {
        assertThat(registry.names())
                .containsExactly("decorrelated", "exponential", "fibonacci", "fixed", "linear", "none", "polynomial");
        assertThat(registry.names())
                .allSatisfy(name -> assertThat(registry.find(name, 2.0))
                        .isInstanceOfSatisfying(
                                Backoff.class,
                                backoff -> assertThat(backoff.name()).isEqualTo(name)));
    }

    @Test
    void handsTheMultiplierToTheStrategiesThatUseIt() {
        assertThat(registry.find("exponential", 3.0)).hasToString("exponential(3.0)");
        assertThat(registry.find("polynomial", 4.0)).hasToString("polynomial(4.0)");
        assertThatIllegalArgumentException().isThrownBy(() -> registry.find("exponential", 0.5));
        assertThatIllegalArgumentException().isThrownBy(() -> registry.find("polynomial", Double.NaN));
    }

    @Test
    void findsWhatWasRegistered() {
        registry.register("hourly", hourly);

        assertThat(registry.find("hourly", 2.0)).isSameAs(hourly);
        assertThat(registry.names())
                .containsExactly(
                        "decorrelated", "exponential", "fibonacci", "fixed", "hourly", "linear", "none", "polynomial");
    }

    @Test
    void theLastRegistrationOfANameWins() {
        BackoffStrategy daily = (retry, base, previous) -> Duration.ofDays(1);

        registry.register("mine", hourly).register("mine", daily);

        assertThat(registry.find("mine", 2.0)).isSameAs(daily);
    }

    @Test
    void registriesAreIndependent() {
        registry.register("hourly", hourly);

        assertThat(new BackoffRegistry().find("hourly", 2.0)).isNull();
    }

    @Test
    void namesAreACopy() {
        registry.names().clear();

        assertThat(registry.names()).hasSize(7);
    }

    @Test
    void anUnknownNameIsNotFound() {
        assertThat(registry.find("quadratic", 2.0)).isNull();
        assertThat(registry.find("Fixed", 2.0)).as("case counts").isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "fixed", "linear", "exponential", "polynomial", "fibonacci", "decorrelated"})
    void builtInStrategiesCanNotBeReplaced(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.register(name, hourly))
                .withMessageContaining("backoff '" + name + "' is a built-in strategy");
    }

    @Test
    void aStrategyNeedsANameAndMustBeThere() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> registry.register(" ", hourly))
                .withMessageContaining("must not be blank");
        assertThatNullPointerException().isThrownBy(() -> registry.register("mine", null));
    }
}
