// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.http.ResponseEntity;

/** Recovery methods of types with type parameters. */
class GenericRecoveryTests {

    @Test
    void servesGenerics() {
        Applications.retrying()
                .withBean(StringStore.class)
                .run(context -> assertThat(context.getBean(StringStore.class).load("key", List.of("a")))
                        .isEqualTo("default of key [a]"));
    }

    @Test
    void mayLeaveOpenWhatItsTypeHolds() {
        Applications.retrying()
                .withBean(Lists.class)
                .run(context ->
                        assertThat(Applications.methods(context, Lists.class)).hasSize(5));
    }

    @Test
    void holdWhatTheyLikeWhereNobodyLooksAtItsType() {
        Applications.retrying().withBean(Responses.class).run(context -> {
            Responses responses = context.getBean(Responses.class);
            assertThat((Object) responses.get().getBody()).isEqualTo(503);
            assertThat((Object) responses.later().join().getBody()).isEqualTo(503);
            assertThat(responses.go()).succeedsWithin(Duration.ofSeconds(30));
        });
    }

    /** Bodies that Spring writes, and a future of which only the end counts. */
    static class Responses {

        @RetryOn(value = IllegalStateException.class, delay = "0s", recover = "down")
        public ResponseEntity<String> get() {
            throw new IllegalStateException();
        }

        ResponseEntity<Integer> down() {
            return ResponseEntity.status(503).body(503);
        }

        @RetryOn(value = IllegalStateException.class, delay = "0s", recover = "downLater")
        public CompletableFuture<ResponseEntity<String>> later() {
            throw new IllegalStateException();
        }

        CompletableFuture<ResponseEntity<Integer>> downLater() {
            return CompletableFuture.completedFuture(down());
        }

        @RetryOn(value = IllegalStateException.class, delay = "0s", recover = "note")
        public CompletableFuture<Void> go() {
            throw new IllegalStateException();
        }

        CompletableFuture<Boolean> note(IllegalStateException error) {
            return CompletableFuture.completedFuture(true);
        }
    }

    /** Recoveries whose types do not contradict those of their methods. */
    @SuppressWarnings("rawtypes")
    static class Lists<T> {

        @RetryOn(value = IOException.class, recover = "wild")
        public List<String> one() {
            return List.of();
        }

        List<? extends CharSequence> wild() {
            return List.of();
        }

        @RetryOn(value = IOException.class, recover = "raw")
        public List<String> two() {
            return List.of();
        }

        List raw() {
            return List.of();
        }

        @RetryOn(value = IOException.class, recover = "narrower")
        public List<Number> three() {
            return List.of();
        }

        ArrayList<Integer> narrower() {
            return new ArrayList<>();
        }

        @RetryOn(value = IOException.class, recover = "open")
        public List<String> four() {
            return List.of();
        }

        <E> List<E> open() {
            return List.of();
        }

        @RetryOn(value = IOException.class, recover = "ofInterfaces")
        public List<Runnable> five() {
            return List.of();
        }

        List<Comparable<T>> ofInterfaces() {
            return List.of();
        }
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
