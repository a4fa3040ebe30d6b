// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.ExtensionErrorListener.Source;

/** Finds the codes of errors: those of their hints, else of the first resolver that has one, else the class names. */
final class ErrorCodes {

    private final Participants<ErrorCodeResolver> resolvers;

    private final ExtensionErrorReporter extensionErrors;

    ErrorCodes(Participants<ErrorCodeResolver> resolvers, ExtensionErrorReporter extensionErrors) {
        this.resolvers = resolvers;
        this.extensionErrors = extensionErrors;
    }

    /** The code of one error, not of its causes. */
    String of(ErrorChain link) {
        RetryHint hint = link.hint();
        Throwable error = link.error();
        String code = hint == null ? null : extensionErrors.ask(hint, hint::errorCode);
        if (code != null) {
            return code;
        }
        for (ErrorCodeResolver resolver : extensionErrors.all(Source.RESOLVER, resolvers)) {
            code = extensionErrors.ask(resolver, () -> resolver.resolve(error));
            if (code != null) {
                return code;
            }
        }
        return error.getClass().getName();
    }
}
