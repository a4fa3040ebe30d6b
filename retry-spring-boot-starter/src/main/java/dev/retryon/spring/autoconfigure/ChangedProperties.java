/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.RetrySettingsChanged;
import dev.retryon.spring.method.PropertyChanges;
import dev.retryon.spring.method.RuntimeSettings;
import dev.retryon.spring.settings.ConfiguredLayers;
import dev.retryon.spring.settings.RetryConfigurationException;
import dev.retryon.spring.settings.RetryFault;
import dev.retryon.spring.settings.RetryFaults;
import dev.retryon.spring.settings.RuntimeFaults;
import dev.retryon.spring.settings.StarterLog;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindingPostProcessor;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;

/** Takes over properties that change while the application runs. */
final class ChangedProperties implements ApplicationListener<EnvironmentChangeEvent> {

    private static final String BEAN = "retryOnProperties";

    private static final String CHANGEABLE = "retryon\\.(defaults|policies|methods|budgets)\\b.*";

    private final ObjectProvider<RuntimeSettings> settings;

    private final ObjectProvider<ConfigurationPropertiesBindingPostProcessor> binding;

    private final RetryFaults faults;

    private final RuntimeFaults runtimeFaults;

    private final ApplicationEventPublisher events;

    ChangedProperties(
            ObjectProvider<RuntimeSettings> settings,
            ObjectProvider<ConfigurationPropertiesBindingPostProcessor> binding,
            RetryFaults faults,
            RuntimeFaults runtimeFaults,
            ApplicationEventPublisher events) {
        this.settings = settings;
        this.binding = binding;
        this.faults = faults;
        this.runtimeFaults = runtimeFaults;
        this.events = events;
    }

    @Override
    public void onApplicationEvent(EnvironmentChangeEvent event) {
        PropertyChanges changes;
        try {
            changes = settings.getObject().takeOver(this::read);
        } catch (Throwable ex) {
            runtimeFaults.reportToOperator(
                    RuntimeFaults.Kind.CONFIGURATION,
                    "properties have changed, but are not taken over, for something is wrong: " + ex.getMessage(),
                    ex);
            return;
        }
        Set<String> kept = new TreeSet<>(changes.kept());
        for (String key : event.getKeys()) {
            ConfigurationPropertyName name = ConfigurationPropertyName.adapt(key, '.');
            if (name.toString().startsWith("retryon.") && !name.toString().matches(CHANGEABLE)) {
                kept.add(name.toString());
            }
        }
        if (!kept.isEmpty()) {
            StarterLog.warn(
                    "properties " + kept + " have changed, which takes effect when the application starts again");
        }
        if (changes.changed().isEmpty()) {
            return;
        }
        String description = "properties taken over: " + String.join(", ", changes.changed());
        StarterLog.info(description);
        if (!changes.unaware().isEmpty()) {
            StarterLog.info("retries of " + changes.unaware()
                    + " were handed to the application, and go on with the settings that they were made with");
        }
        events.publishEvent(new RetrySettingsChanged("", null, description));
    }

    /** Reads all properties as at start-up, and finds the same wrong. */
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
