/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call;

import com.github.kagkarlsson.scheduler.task.Execution;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Decides which due calls this process looks for: those of its application, without names that it skips for a while. */
final class DueCalls {

    /** Names that SQL takes between single quotes as they are. */
    private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{N}._$#-]+");

    /** The number of names that are skipped at most: they are part of each statement. */
    private static final int MOST = 100;

    private final String application;

    private final Runnable lookAgain;

    private final Consumer<RuntimeException> failed;

    /** The names that are skipped, and until when by the monotonic clock. */
    private final Map<String, Long> skipped = new ConcurrentHashMap<>();

    DueCalls(String application, Runnable lookAgain, Consumer<RuntimeException> failed) {
        this.application = application;
        this.lookAgain = lookAgain;
        this.failed = failed;
    }

    /** Skips calls of a name, because other processes run them; returns {@code false} if the name can't be skipped. */
    boolean skip(String name, Duration time) {
        if (!PLAIN.matcher(name).matches() || (skipped.size() >= MOST && !skipped.containsKey(name))) {
            return false;
        }
        skipped.put(name, System.nanoTime() + time.toNanos());
        return true;
    }

    /** The condition for rows in SQL, without parameters. */
    String condition() {
        String mine = "task_name = '" + application + "'";
        if (skipped.isEmpty()) {
            return mine;
        }
        long now = System.nanoTime();
        skipped.values().removeIf(end -> end - now < 0);
        String names = skipped.keySet().stream().map(name -> "'" + name + "'").collect(Collectors.joining(", "));
        return names.isEmpty() ? mine : mine + " and (name is null or name not in (" + names + "))";
    }

    /**
     * Looks for due calls, and again if a look has found as many calls as threads were free, because there may be more. The
     * scheduler itself looks again when the next call ends, but it misses calls that end during the look: their threads would
     * be idle until the next poll. If no thread is free, looking again does not query the database.
     */
    List<Execution> look(int limit, Supplier<List<Execution>> query) {
        List<Execution> found;
        try {
            found = query.get();
        } catch (RuntimeException ex) {
            failed.accept(ex);
            return List.of();
        }
        if (found.size() == limit) {
            lookAgain.run();
        }
        return found;
    }
}
