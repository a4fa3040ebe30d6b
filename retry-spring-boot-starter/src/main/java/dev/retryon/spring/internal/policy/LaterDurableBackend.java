/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.policy;

import dev.retryon.CallState;
import dev.retryon.CallSubject;
import dev.retryon.StopReason;
import dev.retryon.spi.DeadLetterQueue;
import dev.retryon.spi.FailedCall;
import dev.retryon.spring.RetrySettings;
import dev.retryon.spring.ReturnStyle;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

/** Looks up the backend when a call needs it: it needs a database, while policies are assembled before most beans exist. */
public final class LaterDurableBackend implements DurableBackend {

    private final BeanFactory beanFactory;

    public LaterDurableBackend(BeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    private DurableBackend found() {
        return beanFactory.getBean(DurableBackend.class);
    }

    @Override
    public void take(CallSubject subject, CallState state, Duration delay, RetrySettings override) throws Exception {
        found().take(subject, state, delay, override);
    }

    @Override
    public void died(FailedCall call, DeadLetterQueue queue) throws Exception {
        found().died(call, queue);
    }

    @Override
    public void ended(String callId, @Nullable StopReason discarded) throws Exception {
        found().ended(callId, discarded);
    }

    @Override
    public ReturnStyle outbox(RetriedMethod method, @Nullable ReturnStyle later) {
        return found().outbox(method, later);
    }
}
