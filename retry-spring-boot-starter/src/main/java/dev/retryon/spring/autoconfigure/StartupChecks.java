/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.settings.RetryFaults;
import java.util.List;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.ConfigurableEnvironment;

/** What becomes of faults in properties. */
enum StartupChecks {
    /** They end the start. */
    FAIL,

    /** They are logged as warnings, and the property is ignored. */
    WARN;

    /** A collection of faults as the properties want it, which is needed before the properties are bound. */
    static RetryFaults faults(ConfigurableEnvironment environment) {
        Binder binder = binder(environment);
        try {
            return new RetryFaults(
                    binder.bind("retryon.warnings.ignore", Bindable.listOf(String.class))
                            .orElse(List.of()),
                    binder.bind("retryon.checks", StartupChecks.class).orElse(FAIL) == WARN);
        } catch (BindException ex) {
            // Found again, and reported, where all properties are bound.
            return new RetryFaults();
        }
    }

    /** Records what is wrong with properties where there is no context that binds them. */
    static void check(ConfigurableEnvironment environment, RetryFaults faults) {
        RetryProperties properties = new RetryProperties();
        binder(environment)
                .bind(
                        "retryon",
                        Bindable.ofInstance(properties),
                        new RetryBindHandlerAdvisor(faults).apply(BindHandler.DEFAULT));
        properties.toLayers(faults);
    }

    private static Binder binder(ConfigurableEnvironment environment) {
        return new Binder(
                ConfigurationPropertySources.from(environment.getPropertySources()),
                new PropertySourcesPlaceholdersResolver(environment));
    }
}
