// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.proxy;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.MethodMatcher;
import org.springframework.aop.Pointcut;

record TypePointcut(ClassFilter filter) implements Pointcut {

    @Override
    public ClassFilter getClassFilter() {
        return filter;
    }

    @Override
    public MethodMatcher getMethodMatcher() {
        return MethodMatcher.TRUE;
    }
}
