// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.check;

import java.util.Objects;
import org.mockito.MockingDetails;
import org.mockito.Mockito;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.util.ClassUtils;

/** Recognizes Mockito's mocks, whose class can be the class of the bean that they replace. */
final class Mocks {

    private static final boolean PRESENT = ClassUtils.isPresent("org.mockito.Mockito", Mocks.class.getClassLoader());

    private Mocks() {}

    /** Returns whether a bean, or its proxy's target, is a mock that runs none of its class's code. A spy runs this code. */
    static boolean isMock(Object bean) {
        if (!PRESENT) {
            return false;
        }
        Object target = Objects.requireNonNullElse(AopProxyUtils.getSingletonTarget(bean), bean);
        MockingDetails details = Mockito.mockingDetails(target);
        return details.isMock() && !details.isSpy();
    }
}
