// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Source;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Finds the delays that errors request: by their hints, or else by the first resolver that knows one. */
final class RequestedDelays {

    /** A hundred years, which no call waits. Longer times count as this, so that arithmetic is safe. */
    private static final Duration LONGEST = Duration.ofDays(36_525);

    private final Participants<RetryAfterResolver> resolvers;

    private final ExtensionErrorReporter extensionErrors;

    RequestedDelays(Participants<RetryAfterResolver> resolvers, ExtensionErrorReporter extensionErrors) {
        this.resolvers = resolvers;
        this.extensionErrors = extensionErrors;
    }

    /** Returns the delay that the error of a call or its nearest cause requests: not negative, possibly never. */
    @Nullable Duration of(@Nullable ErrorChain chain, RetryContext call) {
        RetryAfterResolver[] asked = extensionErrors.all(Source.RESOLVER, resolvers);
        for (ErrorChain next = chain; next != null; next = next.cause()) {
            RetryHint hint = next.hint();
            Duration delay = hint == null ? null : ask(hint, hint::retryAfter);
            Throwable error = next.error();
            for (int i = 0; delay == null && i < asked.length; i++) {
                RetryAfterResolver resolver = asked[i];
                delay = ask(resolver, () -> resolver.retryAfter(error, call));
            }
            if (delay != null) {
                return delay;
            }
        }
        return null;
    }

    private @Nullable Duration ask(Object asked, Supplier<@Nullable Duration> question) {
        Duration delay = extensionErrors.ask(asked, question);
        if (delay == null || delay.isNegative()) {
            return null;
        }
        return delay.equals(RetryAfterResolver.NEVER) ? delay : DurationMath.shorter(delay, LONGEST);
    }
}
