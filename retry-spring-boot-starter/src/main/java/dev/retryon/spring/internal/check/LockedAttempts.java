// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.check;

import dev.retryon.spring.internal.declaration.RetryPointcut;
import dev.retryon.spring.internal.policy.MethodRetry;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.RetryWarning;
import dev.retryon.spring.module.SettingSource;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;

/**
 * Warns of locks that are acquired within each attempt. ShedLock skips a method while its lock is held, and returns as if the
 * method had run. RetryOn cannot detect this: a skipped retry would count as a success, and the call's error would be lost.
 */
final class LockedAttempts {

    private static final String SHEDLOCK = "net.javacrumbs.shedlock.";

    private final RetryFaults faults;

    /** The methods to warn of; {@code null} after start-up. */
    private @Nullable Set<String> found = new TreeSet<>();

    LockedAttempts(RetryFaults faults) {
        this.faults = faults;
    }

    /** Checks a bean's method. A warning is logged together with those of other methods or, after start-up, immediately. */
    synchronized void check(Object bean, MethodRetry method) {
        if ((method.isRepeated() || method.isHandedOver())
                && bean instanceof Advised proxy
                && isLocked(proxy, method)) {
            String name = SettingSource.name(method.method());
            if (found == null) {
                warn(name);
            } else {
                found.add(name);
            }
        }
    }

    synchronized void complete() {
        if (found != null && !found.isEmpty()) {
            warn(String.join(", ", found));
        }
        found = null;
    }

    private static boolean isLocked(Advised proxy, MethodRetry method) {
        boolean inside = false;
        for (Advisor advisor : proxy.getAdvisors()) {
            if (!(advisor instanceof PointcutAdvisor next)) {
                continue;
            }
            if (next.getPointcut() instanceof RetryPointcut) {
                inside = true;
            } else if (inside
                    && next.getClass().getName().startsWith(SHEDLOCK)
                    && next.getPointcut().getMethodMatcher().matches(method.method(), method.beanClass())) {
                return true;
            }
        }
        return false;
    }

    private void warn(String methods) {
        faults.warn(
                RetryWarning.LOCK_PER_ATTEMPT,
                "ShedLock locks each attempt of " + methods
                        + ". If the lock is still held, ShedLock skips the retry, and the call counts as a success."
                        + " Let ShedLock lock the whole call instead: @EnableSchedulerLock(order = 0)");
    }
}
