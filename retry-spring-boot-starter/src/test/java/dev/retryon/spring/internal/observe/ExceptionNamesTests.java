// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.internal.report.TagValues;
import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class ExceptionNamesTests {

    private final ExceptionNames names = new ExceptionNames(new TagValues("exception", 2));

    @Test
    void areSimple() {
        assertThat(names.tag(new IOException())).isEqualTo("IOException");
        assertThat(names.tag(new IOException() {})).isEqualTo("IOException");
        assertThat(names.tag(null)).isEqualTo("result");
    }

    @Test
    void areNotTooMany() {
        assertThat(names.tag(new IOException())).isEqualTo("IOException");
        assertThat(names.tag(new TimeoutException())).isEqualTo("TimeoutException");
        for (int i = 0; i < 2; i++) {
            assertThat(names.tag(new IllegalStateException())).isEqualTo("other");
        }
        assertThat(names.tag(new TimeoutException())).isEqualTo("TimeoutException");
        assertThat(names.tag(null)).isEqualTo("result");
    }
}
