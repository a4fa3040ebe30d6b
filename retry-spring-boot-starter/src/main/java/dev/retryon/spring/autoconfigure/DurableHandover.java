/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.CallState;
import dev.retryon.CallSubject;
import dev.retryon.DeadLetterQueue;
import dev.retryon.FailedCall;
import dev.retryon.spring.method.DurableRetries;
import dev.retryon.spring.settings.RetrySettings;
import java.time.Duration;
import org.springframework.beans.factory.BeanFactory;

/**
 * Takes over the retries of durable calls. Who really does it is looked up when the first call has failed: he needs a database,
 * and methods are found out about while beans are still being made.
 */
final class DurableHandover implements DurableRetries {

    private static final String NAME = "retryOnDurableCalls";

    private final BeanFactory beanFactory;

    DurableHandover(BeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    private DurableRetries calls() {
        return beanFactory.getBean(NAME, DurableRetries.class);
    }

    @Override
    public void take(CallSubject subject, CallState state, Duration delay, RetrySettings override) throws Exception {
        calls().take(subject, state, delay, override);
    }

    @Override
    public void died(FailedCall call, DeadLetterQueue queue) throws Exception {
        calls().died(call, queue);
    }

    @Override
    public void ended(String callId, boolean isDiscarded) throws Exception {
        calls().ended(callId, isDiscarded);
    }
}
