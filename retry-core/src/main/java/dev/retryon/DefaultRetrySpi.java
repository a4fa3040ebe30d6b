// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.spi.RetrySpi;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs calls of a retry in the ways that are for modules. */
record DefaultRetrySpi(Retry retry) implements RetrySpi {

    @Override
    public Retry resume(CallState state, Duration waited, BooleanSupplier lease) {
        CallSettings.Draft draft = retry.settings().with(retry.policy());
        draft.resumption = new CallSettings.Resumption(state, waited, Objects.requireNonNull(lease, "lease"));
        return new Retry(new CallSettings(draft));
    }

    @Override
    public boolean giveUp(CallSubject subject, Throwable error) {
        RetryCall call = retry.settings().resumed();
        if (call == null) {
            throw new IllegalArgumentException("Retry '" + retry.name()
                    + "' has no stored call to give up; use the retry that resume(..) returned");
        }
        call.describedAs(subject);
        call.failed(error);
        CallEnd end = new CallEnd(call, StopReason.UNRESOLVABLE, error, null, null);
        end.keep();
        end.close();
        return end.isKept();
    }

    @Override
    public Retry watched(Consumer<RetryResult<?>> watcher) {
        CallSettings.Draft draft = retry.settings().with(retry.policy());
        draft.watcher = Objects.requireNonNull(watcher, "watcher");
        return new Retry(new CallSettings(draft));
    }

    @Override
    public <S, T extends @Nullable Object> RetryResult<T> outcome(S subject, RetryOperation<S, T> operation) {
        return retry.outcome(subject, operation);
    }
}
