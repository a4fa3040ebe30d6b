// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.settings.ConfiguredLayers.PointcutPolicy;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * The properties that decide which beans get proxies, and how faults are reported. They are read from the environment,
 * because binding creates converters of the application: that must not happen before all post-processors exist, and
 * beans can get proxies earlier. A value that can't be read counts as not set; it is reported when all properties are
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
                read("retryon.checks", Bindable.of(StartupChecks.class), StartupChecks.FAIL) == StartupChecks.WARN);
    }

    int order() {
        return read("retryon.order", Bindable.of(Integer.class), RetryProperties.DEFAULT_ORDER);
    }

    Map<String, PointcutPolicy> pointcuts() {
        return RetryProperties.Pointcut.toPolicies(
                read("retryon.pointcuts", Bindable.mapOf(String.class, RetryProperties.Pointcut.class), Map.of()),
                new RetryFaults());
    }

    private <T> T read(String name, Bindable<T> type, T otherwise) {
        try {
            return binder.bind(name, type).orElse(otherwise);
        } catch (BindException ex) {
            return otherwise;
        }
    }
}
