// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.autoconfigure.RetryProperties.Checks;
import dev.retryon.spring.internal.declaration.PointcutPolicy;
import dev.retryon.spring.module.RetryFaults;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.IgnoreErrorsBindHandler;
import org.springframework.core.env.Environment;

/**
 * The properties that decide which beans get proxies and how faults are reported. They are read from the environment,
 * because binding creates the application's converters. Converters must not be created before all post-processors exist,
 * but beans can get proxies earlier. An unreadable value counts as not set, and is reported when all properties are
 * bound.
 */
final class EarlyProperties {

    private final Binder binder;

    EarlyProperties(Environment environment) {
        this.binder = Binder.get(environment);
    }

    RetryFaults faults() {
        return new RetryFaults(
                read("retryon.warnings.ignore", Bindable.listOf(String.class), List.of()),
                read("retryon.checks", Bindable.of(Checks.class), Checks.FAIL) == Checks.WARN);
    }

    int order() {
        return read("retryon.order", Bindable.of(Integer.class), RetryProperties.DEFAULT_ORDER);
    }

    /** Returns the pointcuts in the order of their ids, the strongest last. */
    List<PointcutPolicy> pointcuts(BeanFactory beanFactory, RetryFaults faults) {
        Map<String, RetryProperties.Pointcut> configured =
                read("retryon.pointcuts", Bindable.mapOf(String.class, RetryProperties.Pointcut.class), Map.of());
        List<PointcutPolicy> pointcuts = new ArrayList<>();
        new TreeMap<>(configured).forEach((id, pointcut) -> {
            if (pointcut.hasExpression()) {
                pointcuts.add(new PointcutPolicy(
                        "retryon.pointcuts." + id,
                        Objects.requireNonNull(pointcut.expression()),
                        Objects.requireNonNullElse(pointcut.policy(), id),
                        beanFactory,
                        faults));
            }
        });
        return pointcuts;
    }

    private <T> T read(String name, Bindable<T> type, T otherwise) {
        try {
            return binder.bind(name, type, new IgnoreErrorsBindHandler()).orElse(otherwise);
        } catch (BindException ex) {
            return otherwise;
        }
    }
}
