// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What carries the caller's context to later attempts, how its faults are reported, and which call is current where. */
class ContextCaptureTests extends AsyncRetryFixture {

    private final List<String> faults = new ArrayList<>();

    @BeforeEach
    void listen() {
        engine.extensionErrorListener((source, name, sentence, cause) ->
                faults.add(source + " of " + name + ": " + sentence + ": " + cause.getMessage()));
    }

    private void retryOnce() {
        CompletableFuture<String> called = retry().callAsync(() -> failing(1));
        time.advance(SECOND);

        assertThat(called).isCompletedWithValue("value");
    }

    @Test
    void oneThatFailsToCaptureIsReported() {
        ContextCapture capture = () -> {
            throw new IllegalStateException("capture");
        };
        assertThat(engine.contextCapture(capture)).isSameAs(engine);
        retryOnce();

        assertThat(faults)
                .containsExactly(
                        "CONTEXT of any: the caller's context could not be captured; later attempts run without it: capture");
    }

    @Test
    void oneThatFailsToRestoreIsReportedForEachStep() {
        engine.contextCapture(() -> () -> {
            throw new IllegalStateException("restore");
        });
        retryOnce();

        // The decision, the attempt and the success.
        assertThat(faults)
                .isNotEmpty()
                .containsOnly("CONTEXT of any: the caller's context could not be restored on a thread: restore");
    }

    @Test
    void oneThatFailsToGiveTheThreadBackIsReported() {
        engine.contextCapture(() -> () -> () -> {
            throw new IllegalStateException("close");
        });
        retryOnce();

        assertThat(faults)
                .isNotEmpty()
                .containsOnly("CONTEXT of any: the previous context of a thread could not be restored: close");
    }

    @Test
    void whatHasNoTextIsReportedByItsClass() {
        policy.onlyIf(new BiPredicate<>() {
            @Override
            public boolean test(Throwable error, RetryContext context) {
                throw new IllegalStateException("gate");
            }

            @Override
            public String toString() {
                throw new IllegalStateException("text");
            }
        });

        assertThat(errorOf(retry().callAsync(() -> failing(1)))).hasMessage("attempt 1");
        assertThat(faults)
                .containsExactly(
                        "GATE of catalogue: the gate 'dev.retryon.ContextCaptureTests$1' failed, so the call is"
                                + " not retried: gate");
    }

    @Test
    void aScopeMakesACallCurrentOnAnotherThreadUntilItIsClosed() throws Exception {
        List<Object> seen = new ArrayList<>();

        retry().call(() -> {
            RetryContext context = RetryContext.current();
            Thread other = new Thread(() -> {
                seen.add(RetryContext.find().isPresent());
                try (AttemptScope scope = AttemptScope.open(context)) {
                    seen.add(RetryContext.current() == context);
                    scope.close();
                    scope.close(); // does nothing
                    seen.add(RetryContext.find().isPresent());
                }
                seen.add(RetryContext.find().isPresent());
            });
            other.start();
            other.join();
            return "done";
        });

        assertThat(seen).containsExactly(false, true, false, false);
    }

    @Test
    void aScopeGivesBackTheCallThatWasCurrent() throws Exception {
        Retry outer = Retry.of("outer", policy.build());
        retry().call(() -> {
            RetryContext context = RetryContext.current();
            return outer.call(() -> {
                AttemptScope scope = AttemptScope.open(context);
                assertThat(RetryContext.current()).isSameAs(context);
                scope.close();
                scope.close();
                assertThat(RetryContext.current().name()).isEqualTo("outer");
                return "done";
            });
        });
        assertThat(RetryContext.find()).isEmpty();
    }
}
