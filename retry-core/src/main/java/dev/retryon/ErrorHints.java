// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Asks for the hints of errors: first the error itself, then the resolvers in order of precedence. */
final class ErrorHints {

    /** A hundred years. Longer delays are reduced to this value to make arithmetic safe. */
    private static final Duration LONGEST = Duration.ofDays(36_525);

    private final Participants<RetryHintResolver> resolvers;

    private final ExtensionErrorReporter extensionErrors;

    ErrorHints(Participants<RetryHintResolver> resolvers, ExtensionErrorReporter extensionErrors) {
        this.resolvers = resolvers;
        this.extensionErrors = extensionErrors;
    }

    @Nullable RetryDirective directive(ErrorChain chain, RetryContext call) {
        return nearest(chain, call, RetryHint::directive);
    }

    /** Returns the delay that the error or its nearest cause requests: not negative, possibly never. */
    @Nullable Duration delay(@Nullable ErrorChain chain, RetryContext call) {
        return nearest(chain, call, ErrorHints::delay);
    }

    /** Returns the code of one error, without its causes. The default is the name of the class. */
    String code(ErrorChain link, RetryContext call) {
        String code = first(link, call, RetryHint::errorCode);
        return code != null ? code : link.error().getClass().getName();
    }

    private static @Nullable Duration delay(RetryHint hint) {
        Duration delay = hint.retryAfter();
        if (delay == null || delay.isNegative()) {
            return null;
        }
        return delay.equals(RetryHint.NEVER) ? delay : DurationMath.shorter(delay, LONGEST);
    }

    private <R> @Nullable R nearest(
            @Nullable ErrorChain chain, RetryContext call, Function<RetryHint, @Nullable R> question) {
        for (ErrorChain next = chain; next != null; next = next.cause()) {
            R answer = first(next, call, question);
            if (answer != null) {
                return answer;
            }
        }
        return null;
    }

    private <R> @Nullable R first(ErrorChain link, RetryContext call, Function<RetryHint, @Nullable R> question) {
        for (RetryHint hint : hints(link, call)) {
            R answer = ask(hint, () -> question.apply(hint));
            if (answer != null) {
                return answer;
            }
        }
        return null;
    }

    /** Returns the hints of one error. Resolvers are asked once for each failure. */
    private List<RetryHint> hints(ErrorChain link, RetryContext call) {
        List<RetryHint> known = link.hints();
        if (known == null) {
            known = find(link, call);
            link.hints(known);
        }
        return known;
    }

    private <R> @Nullable R ask(Object asked, Supplier<@Nullable R> question) {
        try {
            return Extensions.<R, RuntimeException>find(asked, question::get);
        } catch (Throwable ex) {
            String what = (asked instanceof RetryHint ? "the hint of " : "the resolver ")
                    + ExtensionErrorReporter.type(asked) + " failed and is ignored";
            extensionErrors.report(Kind.RESOLVER, ExtensionErrorListener.ANY, what, ex);
            return null;
        }
    }

    private List<RetryHint> find(ErrorChain link, RetryContext call) {
        // Most errors have none.
        List<RetryHint> hints = new ArrayList<>(0);
        if (link.error() instanceof RetryHint own) {
            hints.add(own);
        }
        for (RetryHintResolver resolver : resolvers.all(Kind.RESOLVER, extensionErrors)) {
            RetryHint hint = ask(resolver, () -> resolver.resolve(link.error(), call));
            if (hint != null) {
                hints.add(hint);
            }
        }
        return hints;
    }
}
