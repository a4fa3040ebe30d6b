// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Fails twice for each name, or always for one that begins with "never", and counts the attempts. */
class Partner {

    private final Map<String, AtomicInteger> attempts = new ConcurrentHashMap<>();

    String fetch(String name) throws IOException {
        int attempt =
                attempts.computeIfAbsent(name, missing -> new AtomicInteger()).incrementAndGet();
        if (attempt < 3 || name.startsWith("never")) {
            throw new IOException(name + " at " + attempt);
        }
        return name + " at " + attempt;
    }

    int attempts(String name) {
        return attempts.getOrDefault(name, new AtomicInteger()).get();
    }
}
