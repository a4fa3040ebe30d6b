// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects;

import java.util.concurrent.atomic.AtomicInteger;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;

/** Another aspect of the application, which runs outside the retries. */
@Aspect
class CountingAspect {

    static final AtomicInteger CALLS = new AtomicInteger();

    @Around("execution(* dev.retryon.aspects.Shop.audited(..))")
    public Object count(ProceedingJoinPoint execution) throws Throwable {
        CALLS.incrementAndGet();
        return execution.proceed(new Object[] {execution.getArgs()[0] + "!"});
    }

    @Around("execution(* dev.retryon.aspects.AgentTests.Program.hidden())")
    public Object pass(ProceedingJoinPoint execution) throws Throwable {
        return execution.proceed();
    }
}
