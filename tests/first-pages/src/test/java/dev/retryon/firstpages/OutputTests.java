// SPDX-License-Identifier: Apache-2.0
package dev.retryon.firstpages;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Only what differs from run to run may differ from the page. */
class OutputTests {

    private static final String ID = "cd41360d-b3d0-48dd-8b8d-be0aaab05631";

    private static final String OTHER_ID = "3701ac6f-755e-4a0c-9adc-1b19f4ffb00f";

    private final Output output = new Output("(?!)");

    @Test
    void acceptsOtherIdsTimesAndWaits() {
        assertThat(output.matches(
                        "{\"id\":\"" + ID + "\",\"at\":\"2026-11-27T04:59:26.812Z\"}",
                        "{\"id\":\"" + OTHER_ID + "\",\"at\":\"2027-01-01T00:00:00Z\"}"))
                .isTrue();
        assertThat(
                        output.isEndOf(
                                "INFO … charge: succeeded at attempt 3 of 3, 2.072s after the first failure; last failure: Error",
                                "2027  INFO 7 --- [main] log : charge: succeeded at attempt 3 of 3, 3s after the first failure; last failure: Error"))
                .isTrue();
    }

    @Test
    void rejectsOtherNumbersWordsAndAdditions() {
        assertThat(output.matches("{\"value\":2.0}", "{\"value\":3.0}")).isFalse();
        assertThat(output.matches("tea charged", "tea refused")).isFalse();
        assertThat(output.matches("tea charged", "tea charged twice")).isFalse();
        assertThat(output.matches("", "tea charged")).isFalse();
        assertThat(output.isEndOf("attempt 1 of 3 failed, retry in 1s", "attempt 1 of 5 failed, retry in 1s"))
                .isFalse();
        assertThat(output.isEndOf("attempt 1 of 3", "attempt 1 of 3 failed")).isFalse();
    }

    @Test
    void rejectsAnotherIdWhereThePageShowsTheSame() {
        assertThat(output.matches(ID, OTHER_ID)).isTrue();
        assertThat(output.matches("call " + ID, "call " + OTHER_ID)).isTrue();
        assertThat(output.matches("call " + ID, "call " + ID)).isFalse();
        assertThat(new Output("(?!)").matches(ID + " " + ID, ID + " " + OTHER_ID))
                .isFalse();
    }

    @Test
    void rejectsTheSameIdWhereThePageShowsAnother() {
        assertThat(output.matches(ID, OTHER_ID)).isTrue();
        assertThat(output.matches("call " + OTHER_ID, "call " + OTHER_ID)).isFalse();
    }
}
