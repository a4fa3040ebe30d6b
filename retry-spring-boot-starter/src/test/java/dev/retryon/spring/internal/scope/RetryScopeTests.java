// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.scope;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.Retry;
import dev.retryon.RetryResult;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.Setting;
import java.util.concurrent.FutureTask;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The scope of a thread: which one is current, and when there is none any more. */
class RetryScopeTests {

    private static RetrySettings attempts(int count) {
        return RetrySettings.builder().set(Setting.MAX_ATTEMPTS, count).build();
    }

    @Test
    void innerScopesAreLaidOverOuterOnesAndGiveWayToThem() {
        assertThat(RetryScope.current()).isNull();
        RetryScope outer = RetryScope.open(attempts(5));
        RetryScope inner = RetryScope.open(
                RetrySettings.builder().set(Setting.RETRYABLE, false).build());

        assertThat(RetryScope.current()).isSameAs(inner);
        assertThat(inner.override().get(Setting.MAX_ATTEMPTS)).isEqualTo(5);
        assertThat(inner.override().get(Setting.RETRYABLE)).isFalse();

        inner.close();
        assertThat(RetryScope.current()).isSameAs(outer);
        outer.close();
        assertThat(RetryScope.current()).isNull();
    }

    @Test
    void isOfItsThreadAlone() throws Exception {
        RetryScope scope = RetryScope.open(attempts(5));
        try {
            FutureTask<@Nullable RetryScope> other = new FutureTask<>(RetryScope::current);
            new Thread(other).start();
            assertThat(other.get()).isNull();
        } finally {
            scope.close();
        }
    }

    @Test
    void isNotSeenWhileItIsSuspended() {
        RetryScope scope = RetryScope.open(attempts(5));

        RetryScope.Suspension suspension = scope.suspend();
        assertThat(RetryScope.current()).isNull();
        suspension.close();
        assertThat(RetryScope.current()).isSameAs(scope);

        scope.close();
    }

    @Test
    void theLastCallIsThatOfTheInnermostScope() {
        RetryScope outer = RetryScope.open(attempts(5));
        RetryScope inner = RetryScope.open(attempts(4));
        RetryScope.Recording recording = inner.begin();

        inner.close();
        // It can end after the scope, on another thread.
        RetryResult<?> ended = RetryResult.none();
        recording.record(ended);
        assertThat(outer.last()).isSameAs(ended);
        outer.close();
    }

    @Test
    void aStoredCallIsTakenOnceByItsMethod() {
        UnaryOperator<Retry> resumption = UnaryOperator.identity();
        RetryScope scope = RetryScope.resume("charge", resumption);

        assertThat(scope.isPending()).isTrue();
        assertThat(scope.take("refund")).isNull();
        assertThat(RetryScope.current()).isSameAs(scope);

        assertThat(scope.take("charge")).isSameAs(resumption);
        assertThat(RetryScope.current()).isNull();
        assertThat(scope.isPending()).isFalse();
        assertThat(scope.take("charge")).isNull();

        scope.close();
    }

    /** One that is counted twice would hide a later one. */
    @Test
    void aStoredCallThatWasTakenIsClosedOnce() {
        for (int i = 0; i < 50; i++) {
            RetryScope scope = RetryScope.resume("charge", UnaryOperator.identity());
            assertThat(RetryScope.current()).isSameAs(scope);
            scope.take("charge");
            scope.close();
        }
    }

    @Test
    void anOverrideHasNoStoredCall() {
        RetryScope scope = RetryScope.open(attempts(5));

        assertThat(scope.isPending()).isFalse();
        assertThat(scope.take("charge")).isNull();
        assertThat(RetryScope.current()).isSameAs(scope);
        scope.close();
    }
}
