// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.soak;

import dev.retryon.durable.internal.engine.CallStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;

/** A store of dead letters that sometimes fails. Letters are counted and not stored, so it does not grow. */
final class SoakLetters {

    private SoakLetters() {}

    static CallStore store(SoakTally tally) {
        return (CallStore) Proxy.newProxyInstance(
                SoakLetters.class.getClassLoader(), new Class<?>[] {CallStore.class}, (proxy, method, arguments) -> {
                    if (method.isDefault()) {
                        return InvocationHandler.invokeDefault(proxy, method, arguments);
                    }
                    return switch (method.getName()) {
                        case "put" -> {
                            tally.faults().maybeThrow();
                            tally.letter();
                            yield null;
                        }
                        case "totals" -> List.of();
                        default -> throw new UnsupportedOperationException(method.toString());
                    };
                });
    }
}
