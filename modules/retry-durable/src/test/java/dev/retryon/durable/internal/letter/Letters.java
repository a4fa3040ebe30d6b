// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import dev.retryon.StopReason;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;

/** Dead letters for tests: calls of {@code Mails.send} that failed once and for good, and stores that fail. */
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

    /** Runs instead of a method of a store, with its arguments. */
    @FunctionalInterface
    public interface Replacement {

        Object call(Object... arguments) throws Exception;
    }

    /** Returns a store of which one method does something else. */
    public static CallStore replacing(String name, CallStore store, Replacement replacement) {
        return (CallStore) Proxy.newProxyInstance(
                Letters.class.getClassLoader(), new Class<?>[] {CallStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals(name)) {
                        return replacement.call(arguments);
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException ex) {
                        throw ex.getCause();
                    }
                });
    }
}
