// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.soak;

import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.InMemoryCallStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** A store of dead letters that sometimes fails. Letters are deleted immediately, so it does not grow. */
final class SoakLetters {

    private SoakLetters() {}

    static CallStore store(SoakTally tally) {
        CallStore letters = new InMemoryCallStore();
        return (CallStore) Proxy.newProxyInstance(
                SoakLetters.class.getClassLoader(), new Class<?>[] {CallStore.class}, (proxy, method, arguments) -> {
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
                        letters.delete(null, 0);
                    }
                    return result;
                });
    }
}
