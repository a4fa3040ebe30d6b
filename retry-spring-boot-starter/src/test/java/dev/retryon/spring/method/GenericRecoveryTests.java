/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Recovery methods of types with type parameters (semantics, section 6). */
class GenericRecoveryTests {

    @Test
    void servesGenerics() {
        Applications.retrying()
                .withBean(StringStore.class)
                .run(context -> assertThat(context.getBean(StringStore.class).load("key", List.of("a")))
                        .isEqualTo("default of key [a]"));
    }

    abstract static class Store<K, V> {

        protected V instead(K key, List<V> others, IOException error) {
            return defaultOf(key, others);
        }

        protected abstract V defaultOf(K key, List<V> others);
    }

    static class StringStore extends Store<String, String> {

        @RetryOn(value = IOException.class, recover = "instead")
        public String load(String key, List<String> others) throws IOException {
            throw new IOException();
        }

        @Override
        protected String defaultOf(String key, List<String> others) {
            return "default of " + key + " " + others;
        }
    }
}
