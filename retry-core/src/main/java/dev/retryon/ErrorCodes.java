/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

import dev.retryon.RetryFaultListener.Source;

/** Knows the codes of errors: those of their hints, else of the first resolver that has one, else the class names. */
final class ErrorCodes {

    private final Participants<ErrorCodeResolver> resolvers;

    private final Faults faults;

    ErrorCodes(Participants<ErrorCodeResolver> resolvers, Faults faults) {
        this.resolvers = resolvers;
        this.faults = faults;
    }

    /** The code of one error, not of its causes. */
    String of(ErrorChain link) {
        RetryHint hint = link.hint();
        Throwable error = link.error();
        String code = hint == null ? null : faults.ask(hint, hint::errorCode);
        if (code != null) {
            return code;
        }
        for (ErrorCodeResolver resolver : faults.all(Source.RESOLVER, resolvers)) {
            code = faults.ask(resolver, () -> resolver.resolve(error));
            if (code != null) {
                return code;
            }
        }
        return error.getClass().getName();
    }
}
