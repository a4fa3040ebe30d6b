/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.style;

import java.util.function.Supplier;
import reactor.util.context.ContextView;

/** Sets thread-locals from a subscriber's Reactor context while a call is begun. */
interface ReactorThreadLocals {

    /** Sets nothing: for where Micrometer's context propagation is not there. */
    ReactorThreadLocals NONE = new ReactorThreadLocals() {
        @Override
        public <T> T with(ContextView subscriber, Supplier<T> beginning) {
            return beginning.get();
        }
    };

    /**
     * Begins a call with thread-locals set.
     *
     * @param <T> what the beginning yields
     * @param subscriber the subscriber's context
     * @param beginning begins the call
     * @return what the beginning yields
     */
    <T> T with(ContextView subscriber, Supplier<T> beginning);
}
