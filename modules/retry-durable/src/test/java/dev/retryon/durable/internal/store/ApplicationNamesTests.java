// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The name of an application as it is stored with its calls. */
class ApplicationNamesTests {

    private static String stored(String name) {
        return new SchemaSettings(SchemaSettings.Mode.NEVER, SchemaSettings.DEFAULT_SCRIPT, null, false, name)
                .applicationKey();
    }

    @Test
    void anOrdinaryNameIsStoredAsItIs() {
        assertThat(stored("order-service_2.eu")).isEqualTo("order-service_2.eu");
    }

    @Test
    void withoutANameItIsRetryon() {
        assertThat(stored(null)).isEqualTo("retryon");
        assertThat(stored("  ")).isEqualTo("retryon");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bob's shop", "a b", "a\nb", "a/b", "日本", "'; drop table retryon_call; --", "a#b"})
    void anUnusualNameNeedsNoQuotingAndStaysDifferent(String name) {
        assertThat(stored(name)).matches("[A-Za-z0-9._-]+#[0-9a-f]{16}").isEqualTo(stored(name));
        assertThat(stored(name)).isNotEqualTo(stored(name + " "));
    }

    @Test
    void longNamesFitTheColumnAndStayDifferent() {
        String name = "n".repeat(300);
        assertThat(stored(name + "a")).hasSizeLessThanOrEqualTo(100).isNotEqualTo(stored(name + "b"));
        assertThat(stored("n".repeat(60))).isEqualTo("n".repeat(60));
    }
}
