/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.call;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class OnFailureOnH2Tests extends OnFailureTests {

    @Override
    ApplicationContextRunner database() {
        return DurableTrial.inMemory();
    }
}
