/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.letter;

import dev.retryon.Retry;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.durable.CodecException;
import dev.retryon.durable.UnresolvableCallException;
import dev.retryon.durable.internal.stored.StoredArguments;
import dev.retryon.durable.internal.stored.StoredMethods;
import dev.retryon.spring.internal.policy.RetriedMethod;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Finds the method, the bean and the arguments of a dead letter. */
final class ReplayTargets {

    private final StoredMethods methods;

    private final StoredArguments arguments;

    ReplayTargets(StoredMethods methods, StoredArguments arguments) {
        this.methods = methods;
        this.arguments = arguments;
    }

    /** The method and the arguments of a dead letter. */
    static final class Target {

        private final RetriedMethod method;

        private final @Nullable Object[] arguments;

        private Target(RetriedMethod method, @Nullable Object[] arguments) {
            this.method = method;
            this.arguments = arguments;
        }

        RetriedMethod method() {
            return method;
        }

        @Nullable Object[] arguments() {
            return arguments;
        }
    }

    /** Throws UnresolvableCallException if the method is not known, or if the arguments do not fit it. */
    Target resolve(DeadLetter letter) {
        RetriedMethod method = methods.find(letter.method());
        if (method == null) {
            throw new UnresolvableCallException(
                    "no bean has a retried method " + letter.method()
                            + "; if it was renamed, configure its old name in retryon.dead-letter.aliases",
                    null);
        }
        if (letter.arguments() == null) {
            throw new UnresolvableCallException("its arguments were not kept", null);
        }
        try {
            return new Target(method, arguments.decode(method.beanClass(), method.method(), letter.arguments()));
        } catch (CodecException ex) {
            throw new UnresolvableCallException(String.valueOf(ex.getMessage()), ex);
        }
    }

    @Nullable Object call(Replay replay, UnaryOperator<Retry> resumption) throws Throwable {
        Object bean = methods.bean(replay.method(), replay.bean());
        if (bean == null) {
            throw new UnresolvableCallException(
                    "there is no bean '" + replay.bean() + "' with the method "
                            + replay.method().key() + ", or more than one",
                    null);
        }
        return methods.call(replay.method(), bean, replay.arguments(), resumption, false);
    }
}
