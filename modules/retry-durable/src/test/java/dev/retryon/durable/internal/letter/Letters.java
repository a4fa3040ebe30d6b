// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import dev.retryon.StopReason;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.internal.engine.DeadLetter;
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
                List.of(new StoredCall.Failure(1, "java.io.IOException", "down", at)),
                1,
                StopReason.EXHAUSTED,
                at,
                at,
                State.DEAD,
                "default",
                null,
                null,
                List.of());
    }
}
