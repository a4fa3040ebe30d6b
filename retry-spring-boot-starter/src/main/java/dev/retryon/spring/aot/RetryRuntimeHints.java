/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.aot;

import dev.retryon.DoNotRetry;
import dev.retryon.spring.RetryOn;
import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.ReflectiveMethodInvocation;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ReflectionUtils;

/**
 * What every native image of an application with retries needs: the annotations, the page of the dashboard, the scripts that
 * create tables, and the field that spares a clone.
 */
final class RetryRuntimeHints implements RuntimeHintsRegistrar {

    /** The field that the advice reads to find out whether it is the last of its chain. */
    static final String CHAIN = "interceptorsAndDynamicMethodMatchers";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        for (Class<?> annotation : new Class<?>[] {RetryOn.class, RetryOn.List.class, DoNotRetry.class}) {
            hints.reflection().registerType(annotation, MemberCategory.INVOKE_DECLARED_METHODS);
            hints.proxies().registerJdkProxy(annotation);
        }
        hints.resources().registerPattern("dev/retryon/spring/dashboard/*");
        hints.resources().registerPattern("dev/retryon/spring/store/schema-*.sql");
        Field chain = ReflectionUtils.findField(ReflectiveMethodInvocation.class, CHAIN);
        if (chain != null) {
            hints.reflection().registerField(chain);
        }
    }
}
