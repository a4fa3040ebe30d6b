// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

/** What a later attempt is called with. */
class AttemptArgumentsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withUserConfiguration(VirtualTimeBeans.class)
            .withBean(Orders.class);

    private final Object item = new Object();

    private final List<String> notes = new ArrayList<>(List.of("begun"));

    private final String[] tags = {"a"};

    @Test
    void everyBlockingAttemptGetsTheSameObjects() {
        runner.run(context -> {
            Orders orders = context.getBean(Orders.class);
            assertThat(orders.place(item, notes, tags)).isEqualTo("placed");
            verify(orders);
        });
    }

    @Test
    void everyAttemptOfAFutureGetsTheSameObjects() {
        runner.run(context -> {
            Orders orders = context.getBean(Orders.class);
            assertThat(orders.placeLater(item, notes, tags).join()).isEqualTo("placed");
            verify(orders);
        });
    }

    @Test
    void everyAttemptOfAMonoGetsTheSameObjects() {
        runner.run(context -> {
            Orders orders = context.getBean(Orders.class);
            assertThat(orders.placeMono(item, notes, tags).block()).isEqualTo("placed");
            verify(orders);
        });
    }

    private void verify(Orders orders) {
        assertThat(orders.seen()).hasSize(3).allSatisfy(arguments -> {
            assertThat(arguments.get(0)).isSameAs(item);
            assertThat(arguments.get(1)).isSameAs(notes);
            assertThat(arguments.get(2)).isSameAs(tags);
        });
        // What an attempt does to an argument, the next one sees.
        assertThat(notes).containsExactly("begun", "attempt 1", "attempt 2", "attempt 3");
    }

    public static class Orders {

        private final List<List<Object>> seen = new ArrayList<>();

        public List<List<Object>> seen() {
            return seen;
        }

        @RetryOn(IOException.class)
        public String place(Object item, List<String> notes, String... tags) throws IOException {
            seen.add(List.of(item, notes, tags));
            notes.add("attempt " + seen.size());
            if (seen.size() < 3) {
                throw new IOException("attempt " + seen.size());
            }
            return "placed";
        }

        @RetryOn(IOException.class)
        public CompletableFuture<String> placeLater(Object item, List<String> notes, String... tags) {
            try {
                return CompletableFuture.completedFuture(place(item, notes, tags));
            } catch (IOException ex) {
                return CompletableFuture.failedFuture(ex);
            }
        }

        @RetryOn(IOException.class)
        public Mono<String> placeMono(Object item, List<String> notes, String... tags) {
            return Mono.fromCompletionStage(placeLater(item, notes, tags));
        }
    }
}
