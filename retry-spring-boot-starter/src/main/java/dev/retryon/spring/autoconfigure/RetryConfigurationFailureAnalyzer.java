// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.Place;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryFault;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;

/** Prints faults of annotations and properties in the format of Spring Boot, with their files. */
final class RetryConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<RetryConfigurationException> {

    private final @Nullable Environment environment;

    RetryConfigurationFailureAnalyzer(@Nullable Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, RetryConfigurationException cause) {
        List<RetryFault> faults = cause.faults();
        Map<Place, List<RetryFault>> byPlace = new LinkedHashMap<>();
        faults.forEach(fault -> byPlace.computeIfAbsent(fault.place(), place -> new ArrayList<>())
                .add(fault));
        StringBuilder description = new StringBuilder(
                faults.size() == 1
                        ? "The retry configuration has a fault:"
                        : "The retry configuration has " + faults.size() + " faults:");
        byPlace.forEach((place, atPlace) -> {
            description.append("\n\n  - ").append(place).append(inParentheses(origin(place, true)));
            for (RetryFault fault : atPlace) {
                description.append("\n      ").append(fault.description());
                appendOrigins(description, fault);
            }
        });
        return new FailureAnalysis(description.toString(), action(faults), cause);
    }

    private void appendOrigins(StringBuilder description, RetryFault fault) {
        for (Place related : fault.related()) {
            String origin = origin(related, false);
            if (origin != null && !related.equals(fault.place())) {
                description.append("\n      ").append(related).append(inParentheses(origin));
            }
        }
    }

    private static String inParentheses(@Nullable String origin) {
        return origin == null ? "" : " (" + origin + ")";
    }

    /** Returns the file and line of a property or, if {@code orBelow} is set, of the first property below it. */
    private @Nullable String origin(Place place, boolean orBelow) {
        if (environment == null || !place.isProperty()) {
            return null;
        }
        ConfigurationPropertyName name = ConfigurationPropertyName.adapt(place.text(), '.');
        List<ConfigurationPropertySource> sources = new ArrayList<>();
        ConfigurationPropertySources.get(environment).forEach(sources::add);
        Stream<@Nullable ConfigurationProperty> named =
                sources.stream().map(source -> source.getConfigurationProperty(name));
        Stream<@Nullable ConfigurationProperty> below = sources.stream()
                .filter(source -> orBelow && source instanceof IterableConfigurationPropertySource)
                .flatMap(source -> ((IterableConfigurationPropertySource) source)
                        .stream().filter(name::isAncestorOf).map(source::getConfigurationProperty));
        return Stream.concat(named, below)
                .filter(Objects::nonNull)
                .findFirst()
                .map(ConfigurationProperty::getOrigin)
                .map(Origin::toString)
                .orElse(null);
    }

    private static String action(List<RetryFault> faults) {
        boolean properties = faults.stream().anyMatch(fault -> fault.place().isProperty());
        boolean code = faults.stream().anyMatch(fault -> !fault.place().isProperty());
        String plural = faults.size() == 1 ? "" : "s";
        String what = properties && code
                ? "annotations and properties"
                : properties ? (faults.size() == 1 ? "property" : "properties") : "annotation" + plural;
        return "Correct the " + what + " named above.";
    }
}
