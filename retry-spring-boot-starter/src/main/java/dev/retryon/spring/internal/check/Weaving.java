// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.check;

import dev.retryon.spring.internal.report.RetryFaults;
import java.lang.reflect.Method;

/** Knows the methods that call RetryOn themselves, because retries are woven into their code. */
public interface Weaving {

    /** Whether a method is woven. If it is not, this is reported. */
    boolean isWoven(Class<?> beanClass, Method method, RetryFaults faults);

    /** Runs once, after all beans were checked that exist at the start. */
    void complete(RetryFaults faults);
}
