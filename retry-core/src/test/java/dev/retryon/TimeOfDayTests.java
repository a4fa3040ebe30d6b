// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** The time of day of events, from few readings of the clock. */
class TimeOfDayTests {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private static final Instant NOON = Instant.parse("2026-11-23T12:00:00Z");

    /** As far from zero as a ticker is, which begins anywhere. */
    private static final long START = Duration.ofHours(1).toNanos();

    private long tick = START;

    private final CountingClock clock = new CountingClock();

    @Test
    void theSystemsClockIsReadOnceASecond() {
        TimeOfDay time = new TimeOfDay(clock, true);

        assertThat(now(time)).isEqualTo(NOON);
        tick += SECOND - 1;
        assertThat(now(time)).isEqualTo(NOON.plusNanos(SECOND - 1));
        assertThat(clock.readings).isEqualTo(1);
        tick += 1;
        assertThat(now(time)).isEqualTo(NOON.plusSeconds(1));
        assertThat(clock.readings).isEqualTo(2);
    }

    @Test
    void aClockThatWasSetIsFollowedWithinASecond() {
        TimeOfDay time = new TimeOfDay(clock, true);
        now(time);

        clock.ahead = Duration.ofHours(-1);

        tick += SECOND;
        assertThat(now(time)).isEqualTo(NOON.plusSeconds(1).minus(Duration.ofHours(1)));
    }

    @Test
    void aReadingThatTookLongIsNotKept() {
        clock.ticker = () -> tick += SECOND / 10;
        TimeOfDay time = new TimeOfDay(clock, true);

        assertThat(time.at(START)).isEqualTo(new TimeOfDay.Reading(NOON, START));
        time.at(tick);

        assertThat(clock.readings).isEqualTo(2);
    }

    @Test
    void anEventIsNeverInTheFuture() {
        // The thread was interrupted after the clock was read: half a millisecond until the second tick.
        clock.ticker = () -> tick + 500_000;
        TimeOfDay time = new TimeOfDay(clock, true);
        time.at(tick);

        tick += 500_000;

        assertThat(now(time)).isEqualTo(NOON);
    }

    @Test
    void aTickFromBeforeTheReadingIsBeforeIt() {
        TimeOfDay time = new TimeOfDay(clock, true);
        now(time);

        tick -= 5;

        assertThat(now(time)).isEqualTo(NOON.minusNanos(5));
        assertThat(clock.readings).isEqualTo(1);
    }

    @Test
    void aClockOfTheUsersIsReadForEachEvent() {
        List<RetryEvent> events = new ArrayList<>();
        RetryEngine engine =
                RetryEngine.builder().time(clock).listener(events::add).build();

        failTwice(engine, () -> clock.ahead = clock.ahead.plusHours(1));

        assertThat(events)
                .extracting(RetryEvent::at)
                .containsExactly(
                        NOON.plus(Duration.ofHours(1)), NOON.plus(Duration.ofHours(2)), NOON.plus(Duration.ofHours(3)));
    }

    @Test
    void theSystemsClockIsReadForEachEventBesideATickerOfTheUsers() {
        List<RetryEvent> events = new ArrayList<>();
        // Stands still.
        RetryEngine engine = RetryEngine.builder()
                .time(Times.ticking(() -> 5))
                .listener(events::add)
                .build();

        Instant before = Instant.now();
        failTwice(engine, () -> {
            Instant now = Instant.now();
            while (Instant.now().equals(now)) {
                Thread.onSpinWait();
            }
        });

        assertThat(events).hasSize(3).extracting(RetryEvent::at).doesNotHaveDuplicates();
        assertThat(events).allMatch(event -> !event.at().isBefore(before));
    }

    @Test
    void virtualTimeIsThatOfTheEvents() {
        VirtualTime time = new VirtualTime();
        List<RetryEvent> events = new ArrayList<>();

        failTwice(time.engine().listener(events::add).build(), () -> time.advance(Duration.ofMillis(3)));

        assertThat(events)
                .extracting(
                        event -> Duration.between(VirtualTime.START, event.at()).toMillis())
                .containsExactly(3L, 6L, 9L);
    }

    private Instant now(TimeOfDay time) {
        TimeOfDay.Reading reading = time.at(tick);
        return reading.time().plusNanos(tick - reading.tick());
    }

    private static void failTwice(RetryEngine engine, Runnable eachAttempt) {
        RetryPolicy policy = Trial.policy().maxAttempts(3).delay(Duration.ZERO).build();
        Retry.builder("shop", policy).engine(engine).build().capture("", (subject, attempt) -> {
            eachAttempt.run();
            if (attempt < 3) {
                throw new IOException("down");
            }
            return subject;
        });
    }

    /** Goes as the ticks do. */
    private final class CountingClock implements RetryTime {

        private int readings;

        private Duration ahead = Duration.ZERO;

        private LongSupplier ticker = () -> tick;

        @Override
        public Instant instant() {
            readings++;
            return NOON.plus(ahead).plusNanos(tick - START);
        }

        @Override
        public long nanoTime() {
            return ticker.getAsLong();
        }
    }
}
