// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import dev.retryon.StopReason;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStatus;
import java.time.Instant;
import java.util.List;

/** Dead letters for tests: a call of {@code Mails.send} that failed once and for good. */
public final class Letters {

    private Letters() {}

    public static DeadLetter letter(String id, String method, String arguments, Instant at) {
        return new DeadLetter(
                id,
                "Mails.send",
                method,
                "mails",
                arguments,
                "java.io.IOException",
                "java.io.IOException",
                "down",
                "java.io.IOException: down",
                List.of(new DeadLetter.Failure(1, "java.io.IOException", "down", at)),
                1,
                StopReason.EXHAUSTED,
                at,
                at,
                DeadLetterStatus.DEAD,
                null,
                null,
                List.of());
    }
}
