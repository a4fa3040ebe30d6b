/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.CallHandover;
import dev.retryon.CallState;
import dev.retryon.CallSubject;
import dev.retryon.DeadLetterQueue;
import dev.retryon.FailedCall;
import java.time.Duration;
import org.springframework.beans.factory.BeanFactory;

/**
 * Takes over the retries of durable calls. Who really does it is looked up when the first call has failed: he needs a database,
 * and methods are found out about while beans are still being made.
 */
final class DurableHandover implements CallHandover {

    private static final String NAME = "retryOnDurableCalls";

    private final BeanFactory beanFactory;

    DurableHandover(BeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    private CallHandover calls() {
        return beanFactory.getBean(NAME, CallHandover.class);
    }

    @Override
    public void take(CallSubject subject, CallState state, Duration delay) throws Exception {
        calls().take(subject, state, delay);
    }

    @Override
    public void died(FailedCall call, DeadLetterQueue queue) throws Exception {
        calls().died(call, queue);
    }

    @Override
    public void ended(String callId) throws Exception {
        calls().ended(callId);
    }
}
