// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.check;

import java.util.Objects;
import org.mockito.MockingDetails;
import org.mockito.Mockito;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.util.ClassUtils;

/** Recognizes the mocks of Mockito, whose class may be that of the bean in whose place they are. */
final class Mocks {

    private static final boolean PRESENT = ClassUtils.isPresent("org.mockito.Mockito", Mocks.class.getClassLoader());

    private Mocks() {}

    /** Whether a bean, or the target of its proxy, does nothing of what its class does. A spy calls the real methods. */
    static boolean isMock(Object bean) {
        if (!PRESENT) {
            return false;
        }
        Object target = Objects.requireNonNullElse(AopProxyUtils.getSingletonTarget(bean), bean);
        MockingDetails details = Mockito.mockingDetails(target);
        return details.isMock() && !details.isSpy();
    }
}
