/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ExceptionNamesTests {

    private final ExceptionNames names = new ExceptionNames();

    @Test
    void areSimple() {
        assertThat(names.tag(new IOException())).isEqualTo("IOException");
        assertThat(names.tag(new IOException() {})).isEqualTo("IOException");
        assertThat(names.tag((Throwable) null)).isEqualTo("result");
    }

    @Test
    void areNotTooMany() {
        for (int i = 1; i <= ExceptionNames.CAPACITY; i++) {
            Class<?> type = java.lang.reflect.Array.newInstance(Object.class, new int[Math.min(i, 100)])
                    .getClass();
            assertThat(names.tag(type)).startsWith("Object[]");
        }
        assertThat(names.tag(new IOException())).isEqualTo("other");
        assertThat(names.tag((Throwable) null)).isEqualTo("result");
    }
}
