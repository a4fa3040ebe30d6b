// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import org.jspecify.annotations.Nullable;

/** Calls one method directly on the target, without a clone of the invocation, and without reflection, which wraps errors. */
interface TargetCall {

    @Nullable Object on(@Nullable Object target, @Nullable Object[] arguments) throws Throwable;
}
