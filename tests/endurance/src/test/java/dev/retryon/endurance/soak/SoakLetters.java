// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.soak;

import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.deadletter.InMemoryDeadLetterStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Instant;

/** A store of dead letters that sometimes fails. Letters are discarded immediately, so it is never full. */
final class SoakLetters {

    private static final int CAPACITY = 100;

    private SoakLetters() {}

    static DeadLetterStore store(SoakTally tally) {
        DeadLetterStore letters = new InMemoryDeadLetterStore(CAPACITY);
        return (DeadLetterStore) Proxy.newProxyInstance(
                SoakLetters.class.getClassLoader(),
                new Class<?>[] {DeadLetterStore.class},
                (proxy, method, arguments) -> {
                    boolean putting = method.getName().equals("put");
                    if (putting) {
                        tally.faults().maybeThrow();
                    }
                    Object result;
                    try {
                        result = method.invoke(letters, arguments);
                    } catch (InvocationTargetException ex) {
                        throw ex.getCause();
                    }
                    if (putting) {
                        tally.letter();
                        discard(letters, (DeadLetter) arguments[0]);
                    }
                    return result;
                });
    }

    private static void discard(DeadLetterStore letters, DeadLetter letter) {
        letters.move(
                letter.id(),
                DeadLetterStatus.DEAD,
                new DeadLetter.Action(Instant.now(), "soak", DeadLetterStatus.DISCARDED, null));
    }
}
