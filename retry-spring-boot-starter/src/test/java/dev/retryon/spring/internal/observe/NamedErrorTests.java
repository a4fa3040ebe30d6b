// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.module.NamedError;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class NamedErrorTests {

    @Test
    void namesAreSimple() {
        assertThat(NamedError.of(new IOException())).isEqualTo("IOException");
        assertThat(NamedError.of(new IOException() {})).isEqualTo("IOException");
        assertThat(NamedError.of(null)).isEqualTo("result");
    }
}
