// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Listeners say which events they want; what nobody wants is not made. */
class WantedEventsTests {

    private static final IOException DOWN = new IOException("down");

    private final VirtualTime time = new VirtualTime();

    @Test
    void aListenerIsToldOfWhatItWantsAlone() throws Exception {
        Choosy failures = new Choosy(RetryFailed.class);
        Choosy retries = new Choosy(RetryScheduled.class);
        Choosy own = new Choosy(RetrySucceeded.class);
        Retry retry = Retry.builder("choosy", Trial.policy().maxAttempts(2).build())
                .engine(time.engine().listener(failures).listener(retries).build())
                .listener(own)
                .build();

        assertThat(retry.capture(() -> fail()).error()).isSameAs(DOWN);
        assertThat(retry.call(() -> RetryContext.current().attempt() == 1 ? fail() : "up"))
                .isEqualTo("up");

        assertThat(failures.heard).hasOnlyElementsOfType(RetryFailed.class).hasSize(1);
        assertThat(retries.heard).hasOnlyElementsOfType(RetryScheduled.class).hasSize(2);
        assertThat(own.heard).hasOnlyElementsOfType(RetrySucceeded.class).hasSize(1);
    }

    @Test
    void whatNobodyWantsIsNotMade() {
        List<Instant> read = new ArrayList<>();
        Retry retry = Retry.builder("silent", Trial.policy().maxAttempts(3).build())
                .engine(time.engine()
                        .listener(new Choosy())
                        .time(Times.telling(() -> {
                            read.add(VirtualTime.START);
                            return VirtualTime.START;
                        }))
                        .build())
                .build();

        assertThat(retry.capture(() -> fail()).attempts()).isEqualTo(3);

        assertThat(read).as("an event tells the time of day").isEmpty();
    }

    @Test
    void eachListenerIsAskedOnceForEachEvent() {
        List<Choosy> all = List.of(
                new Choosy(RetryScheduled.class, RetryFailed.class),
                new Choosy(),
                new Choosy(RetryScheduled.class),
                new Choosy(RetryFailed.class));
        for (Choosy own : List.of(new Choosy(), new Choosy(RetryFailed.class))) {
            all.forEach(listener -> listener.asked.clear());
            RetryEngineBuilder engine = time.engine();
            all.forEach(engine::listener);
            Retry retry = Retry.builder("asked", Trial.policy().maxAttempts(2).build())
                    .engine(engine.build())
                    .listener(own)
                    .build();

            assertThat(retry.capture(() -> fail()).attempts()).isEqualTo(2);

            List<Choosy> asked = new ArrayList<>(all);
            asked.add(own);
            assertThat(asked)
                    .extracting(listener -> listener.asked)
                    .containsOnly(List.of(RetryScheduled.class, RetryFailed.class));
        }
        assertThat(all)
                .extracting(listener -> listener.heard.size())
                .as("twice a call with both events")
                .containsExactly(4, 0, 2, 2);
    }

    @Test
    void aListenerThatFailsToSayChangesNothing() {
        Choosy other = new Choosy(RetryFailed.class);
        RetryListener broken = new RetryListener() {

            @Override
            public boolean wants(Class<? extends RetryEvent> type) {
                throw new IllegalStateException("broken");
            }

            @Override
            public void onEvent(RetryEvent event) {}
        };
        Retry retry = Retry.builder("broken", Trial.policy().maxAttempts(2).build())
                .engine(time.engine().listener(broken).listener(other).build())
                .build();

        assertThat(retry.capture(() -> fail()).error()).isSameAs(DOWN);

        assertThat(other.heard).hasSize(1);
    }

    private static Object fail() throws IOException {
        throw DOWN;
    }

    private static final class Choosy implements RetryListener {

        private final Set<Class<?>> wanted;

        private final List<Class<?>> asked = new ArrayList<>();

        private final List<RetryEvent> heard = new ArrayList<>();

        private Choosy(Class<?>... wanted) {
            this.wanted = Set.of(wanted);
        }

        @Override
        public boolean wants(Class<? extends RetryEvent> type) {
            asked.add(type);
            return wanted.contains(type);
        }

        @Override
        public void onEvent(RetryEvent event) {
            heard.add(event);
        }
    }
}
