// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import dev.retryon.spring.ReturnStyle;
import dev.retryon.spring.internal.settings.RetrySettings;
import org.jspecify.annotations.Nullable;

/** A style that adapts to the kind of call. The styles of applications handle all calls in the same way. */
public interface AdaptableStyle extends ReturnStyle {

    /**
     * The style for calls whose thread waits until the result is available: calls that Spring's {@code @Async} runs, and
     * stored calls that a worker runs. That thread can run all attempts and wait between them.
     */
    default ReturnStyle held() {
        return this;
    }

    /** The style for the attempts of a stored call; {@code null} for plain values. */
    default @Nullable ReturnStyle resumed() {
        return this;
    }

    /** The style for a call whose settings {@code Retries.with} overrides. */
    default ReturnStyle overridden(RetrySettings override) {
        return this;
    }

    static ReturnStyle held(ReturnStyle style) {
        return style instanceof AdaptableStyle adaptable ? adaptable.held() : style;
    }

    static @Nullable ReturnStyle resumed(@Nullable ReturnStyle style) {
        return style instanceof AdaptableStyle adaptable ? adaptable.resumed() : style;
    }

    static ReturnStyle overridden(ReturnStyle style, RetrySettings override) {
        return style instanceof AdaptableStyle adaptable ? adaptable.overridden(override) : style;
    }
}
