// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.internal.properties.KnownProperties;
import dev.retryon.spring.internal.properties.RetryBindHandler;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.settings.PropertyBlocks;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.ConfigurableEnvironment;

/** What to do if properties have faults. */
enum StartupChecks {
    /** They end the start. */
    FAIL,

    /** They are logged as warnings, and the property is ignored. */
    WARN;

    /** Records faults of properties if no context binds them. */
    static void check(ConfigurableEnvironment environment, RetryFaults faults) {
        RetryProperties properties = new RetryProperties();
        bind("retryon", properties, environment, faults);
        properties.toLayers(faults);
        PropertyBlocks.all()
                .forEach(
                        (name, type) -> bind("retryon." + name, BeanUtils.instantiateClass(type), environment, faults));
    }

    /** Collects the faults of properties below {@code retryon}. */
    static BindHandler bindHandler(BindHandler parent, RetryFaults faults) {
        return new RetryBindHandler(
                parent, faults, new KnownProperties(RetryProperties.class, RetrySettingsProperties.class));
    }

    private static void bind(String prefix, Object target, ConfigurableEnvironment environment, RetryFaults faults) {
        Binder.get(environment).bind(prefix, Bindable.ofInstance(target), bindHandler(BindHandler.DEFAULT, faults));
    }
}
