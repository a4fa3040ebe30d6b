// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.letter;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.spring.module.BackgroundTasks;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.StarterLog;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/** Deletes dead letters that are too old or too many, after start-up and every ten minutes. The store's errors are counted. */
public final class LetterRetention implements SmartLifecycle {

    private static final Duration PAUSE = Duration.ofMinutes(10);

    private final @Nullable Duration maxAge;

    private final @Nullable Long maxCount;

    private final Supplier<CallStore> store;

    private final ExtensionErrors errors;

    private final BackgroundTasks tasks = new BackgroundTasks("retryon-store-");

    public LetterRetention(
            @Nullable Duration maxAge, @Nullable Long maxCount, Supplier<CallStore> store, ExtensionErrors errors) {
        this.maxAge = maxAge;
        this.maxCount = maxCount;
        this.store = store;
        this.errors = errors;
    }

    @Override
    public void start() {
        if (maxAge != null || maxCount != null) {
            tasks.start(new BackgroundTasks.Task(this::delete, Duration.ZERO, PAUSE));
        }
    }

    private void delete() {
        try {
            CallStore calls = store.get();
            int deleted = calls.delete(
                    maxAge == null ? null : calls.clock().instant().minus(maxAge),
                    maxCount == null ? Long.MAX_VALUE : maxCount);
            if (deleted > 0) {
                StarterLog.info(deleted + " dead letters were deleted because of retryon.dead-letter.retention");
            }
        } catch (Throwable ex) {
            if (isRunning()) {
                errors.report(
                        ExtensionErrorListener.Kind.STORE,
                        ExtensionErrorListener.ANY,
                        "dead letters beyond retryon.dead-letter.retention could not be deleted; RetryOn will try"
                                + " again",
                        ex);
            }
        }
    }

    @Override
    public void stop() {
        tasks.stop();
    }

    @Override
    public boolean isRunning() {
        return tasks.isRunning();
    }
}
