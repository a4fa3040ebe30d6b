// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.internal.report.ExtensionErrors;
import dev.retryon.spring.internal.report.RetryFaults;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindingPostProcessor;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ApplicationListener;

/** Applies properties that change while the application runs. */
final class ChangedProperties implements ApplicationListener<EnvironmentChangeEvent> {

    private static final String BEAN = "retryOnProperties";

    private static final String CHANGEABLE = "retryon\\.(defaults|policies|methods|budgets)\\b.*";

    private final ObjectProvider<RuntimeSettings> settings;

    private final ObjectProvider<ConfigurationPropertiesBindingPostProcessor> binding;

    private final RetryFaults faults;

    private final ExtensionErrors runtimeFaults;

    ChangedProperties(
            ObjectProvider<RuntimeSettings> settings,
            ObjectProvider<ConfigurationPropertiesBindingPostProcessor> binding,
            RetryFaults faults,
            ExtensionErrors runtimeFaults) {
        this.settings = settings;
        this.binding = binding;
        this.faults = faults;
        this.runtimeFaults = runtimeFaults;
    }

    @Override
    public void onApplicationEvent(EnvironmentChangeEvent event) {
        Set<String> unchangeable = new TreeSet<>();
        for (String key : event.getKeys()) {
            String name = ConfigurationPropertyName.adapt(key, '.').toString();
            if (name.startsWith("retryon.") && !name.matches(CHANGEABLE)) {
                unchangeable.add(name);
            }
        }
        try {
            settings.getObject().takeOver(this::read, unchangeable);
        } catch (Throwable ex) {
            runtimeFaults.reportToOperator(
                    ExtensionErrorListener.Kind.CONFIGURATION,
                    "the changed properties were rejected and the old settings remain in effect: " + ex.getMessage(),
                    ex);
        }
    }

    /** Reads and checks all properties as at start-up. */
    private ConfiguredLayers read() {
        AtomicReference<ConfiguredLayers> layers = new AtomicReference<>();
        List<RetryFault> wrong = faults.during(() -> {
            RetryProperties properties = new RetryProperties();
            binding.getObject().postProcessBeforeInitialization(properties, BEAN);
            layers.set(properties.toLayers(faults));
        });
        if (!wrong.isEmpty()) {
            throw new RetryConfigurationException(wrong);
        }
        return Objects.requireNonNull(layers.get());
    }
}
