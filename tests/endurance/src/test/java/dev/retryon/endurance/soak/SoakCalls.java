// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.soak;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One retried method of each kind. An attempt succeeds, fails or is slow by chance. */
class SoakCalls {

    private static final int SLOW_MILLIS = 15;

    private final SoakTally tally;

    SoakCalls(SoakTally tally) {
        this.tally = tally;
    }

    @RetryOn(exceptions = IOException.class, maxAttempts = 4, delay = "1ms", maxDelay = "3ms", onlyIf = "isOpen()")
    String blocking() throws IOException {
        return attempt(SoakKind.BLOCKING);
    }

    @RetryOn(exceptions = IOException.class, maxAttempts = 4, delay = "1ms", maxDelay = "3ms", attemptTimeout = "5ms")
    String limited() throws IOException, InterruptedException {
        if (chance(5)) {
            tally.attempt(SoakKind.LIMITED);
            Thread.sleep(SLOW_MILLIS);
            return "late";
        }
        return attempt(SoakKind.LIMITED);
    }

    @RetryOn(exceptions = IOException.class, maxAttempts = 2, delay = "1ms", maxDelay = "3ms")
    @Durable(ON_EXHAUSTION)
    String kept(int number) throws IOException {
        return attempt(SoakKind.KEPT) + number;
    }

    @RetryOn(exceptions = IOException.class, maxAttempts = 4, delay = "1ms", maxDelay = "3ms", budget = "soak")
    String budgeted() throws IOException {
        return attempt(SoakKind.BUDGETED);
    }

    @RetryOn(exceptions = IOException.class, maxAttempts = 4, delay = "1ms", maxDelay = "3ms")
    CompletableFuture<String> asynchronous() throws IOException {
        tally.attempt(SoakKind.ASYNCHRONOUS);
        if (chance(10)) {
            throw new IOException("before the stage is returned");
        }
        CompletableFuture<String> stage = new CompletableFuture<>();
        if (chance(30)) {
            stage.completeExceptionally(new IOException("at once"));
        } else if (chance(20)) {
            return stage.completeOnTimeout("later", SLOW_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            stage.complete("at once");
        }
        return stage;
    }

    @RetryOn(exceptions = IOException.class, maxAttempts = 4, delay = "1ms", maxDelay = "3ms")
    Mono<String> mono() {
        return Mono.defer(() -> {
            tally.attempt(SoakKind.MONO);
            if (chance(30)) {
                return Mono.error(new IOException("mono"));
            }
            return chance(20) ? Mono.just("later").delayElement(Duration.ofMillis(SLOW_MILLIS)) : Mono.just("at once");
        });
    }

    @RetryOn(exceptions = IOException.class, maxAttempts = 4, delay = "1ms", maxDelay = "3ms")
    Flux<String> flux() {
        return Flux.defer(() -> {
            tally.attempt(SoakKind.FLUX);
            return chance(30) ? Flux.error(new IOException("flux")) : Flux.just("a", "b", "c");
        });
    }

    /** A gate that sometimes fails if faults are enabled. */
    public boolean isOpen() {
        tally.faults().maybeThrow();
        return true;
    }

    private String attempt(SoakKind kind) throws IOException {
        tally.attempt(kind);
        if (chance(30)) {
            throw new IOException("attempt");
        }
        if (chance(3)) {
            throw new IllegalStateException("not retried");
        }
        return "done";
    }

    private static boolean chance(int percent) {
        return ThreadLocalRandom.current().nextInt(100) < percent;
    }
}
