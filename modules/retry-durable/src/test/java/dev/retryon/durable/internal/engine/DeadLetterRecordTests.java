// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.ExhaustionAction;
import dev.retryon.Retry;
import dev.retryon.RetryPolicy;
import dev.retryon.durable.StoredCall.Action;
import dev.retryon.durable.StoredCall.Action.What;
import dev.retryon.durable.StoredCall.Failure;
import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a dead letter keeps of a call, and how much. */
class DeadLetterRecordTests {

    private final VirtualTime time = new VirtualTime();

    private DeadLetter dead(int attempts, IOException error) {
        List<DeadLetter> kept = new ArrayList<>();
        Retry retry = Retry.builder(
                        "mails",
                        RetryPolicy.builder()
                                .retryOn(IOException.class)
                                .maxAttempts(attempts)
                                .backoff("fixed")
                                .delay(Duration.ofSeconds(1))
                                .jitter(dev.retryon.backoff.Jitter.none())
                                .onExhaustion(ExhaustionAction.DEAD_LETTER)
                                .build())
                .engine(time.engine()
                        .deadLetters(call ->
                                kept.add(DeadLetter.of(call, null, null, "default", null, null, time.instant())))
                        .build())
                .build();
        retry.capture(() -> {
            throw error;
        });
        assertThat(kept).hasSize(1);
        return kept.get(0);
    }

    @Test
    void theLatestFiftyFailuresAreKept() {
        List<Failure> failures = new ArrayList<>();
        List<Action> actions = new ArrayList<>();
        for (int i = 1; i <= 51; i++) {
            failures.add(new Failure(i, "java.io.IOException", "down " + i, VirtualTime.START));
            actions.add(new Action(VirtualTime.START, "alice " + i, What.RESENT, null));
        }
        DeadLetter letter = dead(1, new IOException("down"));

        DeadLetter full = with(letter, failures.subList(0, 50), actions.subList(0, 50));
        DeadLetter fuller = with(letter, failures, actions);

        assertThat(full.failures()).hasSize(50).startsWith(failures.get(0));
        assertThat(fuller.failures()).isEqualTo(failures.subList(1, 51));
        assertThat(fuller.actions()).isEqualTo(actions.subList(1, 51));
    }

    private static DeadLetter with(DeadLetter letter, List<Failure> failures, List<Action> actions) {
        return new DeadLetter(
                letter.id(),
                letter.name(),
                letter.method(),
                letter.bean(),
                letter.arguments(),
                letter.errorCode(),
                letter.errorType(),
                letter.errorMessage(),
                letter.stackTrace(),
                failures,
                letter.attempts(),
                letter.reason(),
                letter.firstFailedAt(),
                letter.diedAt(),
                letter.state(),
                letter.lane(),
                letter.traceId(),
                letter.traceParent(),
                actions);
    }

    @Test
    void itBeganWhenTheFirstAttemptFailed() {
        DeadLetter letter = dead(3, new IOException("down"));

        assertThat(letter.firstFailedAt()).isEqualTo(VirtualTime.START);
        assertThat(letter.diedAt()).isEqualTo(VirtualTime.START.plusSeconds(2)); // two waits
        assertThat(letter.failures()).extracting(Failure::attempt).containsExactly(1, 2, 3);
        assertThat(letter.failures()).extracting(Failure::errorMessage).containsOnly("down");
        assertThat(letter.failures()).extracting(Failure::errorType).containsOnly("java.io.IOException");
        assertThat(letter.stackTrace()).startsWith("java.io.IOException: down");
    }

    @Test
    void aLongStackTraceIsCutAndOneThatCannotBePrintedIsTheClass() {
        IOException longOne = new IOException("x".repeat(20_000));
        IOException exact = new IOException("down") {
            @Override
            public void printStackTrace(PrintWriter target) {
                target.print("x".repeat(DeadLetter.LONGEST_STACK_TRACE));
            }
        };
        IOException broken = new IOException("down") {
            @Override
            public void printStackTrace(PrintWriter target) {
                throw new LinkageError();
            }
        };

        assertThat(dead(1, longOne).stackTrace())
                .hasSize(DeadLetter.LONGEST_STACK_TRACE + 1)
                .endsWith("x…");
        assertThat(dead(1, exact).stackTrace()).hasSize(DeadLetter.LONGEST_STACK_TRACE);
        assertThat(dead(1, broken).stackTrace()).isEqualTo(broken.getClass().getName());
    }

    @Test
    void itsArgumentsMayBeReplaced() {
        DeadLetter letter = dead(1, new IOException("down"));

        DeadLetter hidden = letter.withArguments("[]");

        assertThat(hidden.arguments()).isEqualTo("[]");
        assertThat(hidden.withArguments(letter.arguments())).isEqualTo(letter);
    }

    @Test
    void itsTextNamesTheErrorAndNoMessage() {
        DeadLetter letter = dead(1, new IOException("secret"));

        assertThat(letter)
                .hasToString("DeadLetter[" + letter.id() + " mails DEAD since " + VirtualTime.START
                        + ": java.io.IOException]");
    }
}
