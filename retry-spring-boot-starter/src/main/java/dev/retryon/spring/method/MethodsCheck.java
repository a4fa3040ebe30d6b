/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.method;

import dev.retryon.spring.settings.RetryFaults;
import java.util.List;

/**
 * Looks at all retried methods when they are known, before the application's start ends.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface MethodsCheck {

    /**
     * Looks at the methods.
     *
     * @param methods those of all beans, except of beans that are known only by an interface and not made yet; those of a bean
     *     that is made later come in a call of their own
     * @param faults takes what is wrong; anything ends the start
     */
    void check(List<RetriedMethod> methods, RetryFaults faults);
}
