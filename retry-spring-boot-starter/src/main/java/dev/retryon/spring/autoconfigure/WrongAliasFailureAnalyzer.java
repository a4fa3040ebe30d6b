// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.Place;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.report.RetryFaults;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/** Explains a composed annotation with a wrong alias, which Spring can't read. This ends the start before any bean is checked. */
final class WrongAliasFailureAnalyzer extends AbstractFailureAnalyzer<AnnotationConfigurationException> {

    private final @Nullable Environment environment;

    WrongAliasFailureAnalyzer(@Nullable Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, AnnotationConfigurationException cause) {
        String message = String.valueOf(cause.getMessage());
        if (rootFailure instanceof RetryConfigurationException || !message.contains(RetryOn.class.getName())) {
            return null;
        }
        RetryFaults faults = new RetryFaults();
        faults.add(Place.code("A composed annotation"), "can't be read: " + message);
        // There are no beans yet, but faults of properties can be found without them.
        if (environment instanceof ConfigurableEnvironment properties) {
            StartupChecks.check(properties, faults);
        }
        FailureAnalysis all = new RetryConfigurationFailureAnalyzer(environment)
                .analyze(rootFailure, new RetryConfigurationException(faults.list()));
        return new FailureAnalysis(all.getDescription(), all.getAction(), cause);
    }
}
