/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon;

/** Knows the codes of errors: those of their hints, else of the first resolver that has one, else the class names. */
final class ErrorCodes {

    private final Participants<ErrorCodeResolver> resolvers;

    ErrorCodes(Participants<ErrorCodeResolver> resolvers) {
        this.resolvers = resolvers;
    }

    /** The code of one error, not of its causes. */
    String of(ErrorChain link) {
        RetryHint hint = link.hint();
        Throwable error = link.error();
        String code = hint == null ? null : UserCode.ask(hint::errorCode);
        if (code != null) {
            return code;
        }
        for (ErrorCodeResolver resolver : UserCode.all(resolvers)) {
            code = UserCode.ask(() -> resolver.resolve(error));
            if (code != null) {
                return code;
            }
        }
        return error.getClass().getName();
    }
}
