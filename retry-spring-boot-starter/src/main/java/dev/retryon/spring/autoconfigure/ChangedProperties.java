// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.RetryFaults;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.ConstructorBound;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;

/** Applies properties that change while the application runs. */
final class ChangedProperties implements ApplicationListener<EnvironmentChangeEvent> {

    private final ObjectProvider<RuntimeSettings> settings;

    private final BeanFactory beanFactory;

    private final Environment environment;

    private final RetryFaults faults;

    private final ExtensionErrors errors;

    ChangedProperties(
            ObjectProvider<RuntimeSettings> settings,
            BeanFactory beanFactory,
            Environment environment,
            RetryFaults faults,
            ExtensionErrors errors) {
        this.settings = settings;
        this.beanFactory = beanFactory;
        this.environment = environment;
        this.faults = faults;
        this.errors = errors;
    }

    @Override
    public void onApplicationEvent(EnvironmentChangeEvent event) {
        Set<String> changed = new TreeSet<>();
        for (String key : event.getKeys()) {
            String name = ConfigurationPropertyName.adapt(key, '.').toString();
            if (name.startsWith("retryon.")) {
                changed.add(name);
            }
        }
        try {
            settings.getObject().takeOver(this::read, changed);
        } catch (Throwable ex) {
            errors.reportToOperator(
                    ExtensionErrorListener.Kind.CONFIGURATION,
                    "the changed properties were rejected and the old settings remain in effect: " + ex.getMessage(),
                    ex);
        }
    }

    private ConfiguredLayers read() {
        AtomicReference<ConfiguredLayers> layers = new AtomicReference<>();
        List<RetryFault> wrong = faults.during(() -> {
            Object properties = ConstructorBound.from(beanFactory, RetryProperties.BEAN, RetryProperties.class);
            layers.set(((RetryProperties) properties).toLayers(new GroupProperties(environment, faults), faults));
        });
        if (!wrong.isEmpty()) {
            throw new RetryConfigurationException(wrong);
        }
        return Objects.requireNonNull(layers.get());
    }
}
