/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The settings below {@code resilience4j.retry} of one document, by instance or configuration and key. */
final class Resilience4jPolicies {

    static final String PREFIX = "resilience4j.retry.";

    private static final String DEFAULT = "default";

    /** What decides by code of the application whether or when something is retried. */
    private static final Set<String> BY_CODE =
            Set.of("result-predicate", "retry-exception-predicate", "interval-bi-function");

    private final Map<String, Map<String, String>> instances = new LinkedHashMap<>();

    private final Map<String, Map<String, String>> configs = new LinkedHashMap<>();

    private final List<String> remarks = new ArrayList<>();

    /** Adds one property, by its full name; the values of a list are separated by commas. */
    void add(String property, String value) {
        String rest = property.substring(PREFIX.length());
        int name = rest.indexOf('.');
        String section = name < 0 ? rest : rest.substring(0, name);
        Map<String, Map<String, String>> policies = switch (section) {
            case "instances", "backends" -> instances;
            case "configs" -> configs;
            default -> null;
        };
        int key = rest.lastIndexOf('.');
        if (policies == null || key <= name) {
            if (kebab(section).equals("retry-aspect-order")) {
                remarks.add("retry-aspect-order was not moved: the order of RetryOn is retryon.order");
            }
            return;
        }
        String policy = rest.substring(name + 1, key).replace("[", "").replace("]", "");
        String last = kebab(rest.substring(key + 1).replaceAll("\\[\\d+]", ""));
        policies.computeIfAbsent(policy, unused -> new LinkedHashMap<>())
                .merge(last, value, (first, second) -> first + "," + second);
    }

    boolean isEmpty() {
        return instances.isEmpty() && configs.isEmpty() && remarks.isEmpty();
    }

    Set<String> names() {
        return instances.keySet();
    }

    Set<String> configNames() {
        return configs.keySet();
    }

    List<String> remarks() {
        return remarks;
    }

    /** The key that makes an instance or configuration immovable; {@code null} if there is none. */
    @Nullable String immovable(String name) {
        Map<String, String> settings = resolved(name);
        return BY_CODE.stream()
                .filter(settings::containsKey)
                .sorted()
                .findFirst()
                .orElse(null);
    }

    /** Whether not every exception is retried. */
    boolean selects(String name) {
        Map<String, String> settings = resolved(name);
        return settings.containsKey("retry-exceptions") || settings.containsKey("ignore-exceptions");
    }

    /** The policies of RetryOn, whole: with what base configurations and Resilience4j itself set. */
    Map<String, Map<String, String>> policies() {
        Map<String, Map<String, String>> policies = new LinkedHashMap<>();
        for (String name : configs.keySet()) {
            policies.put(name, whole(resolved(name)));
        }
        for (String name : instances.keySet()) {
            policies.put(name, whole(resolved(name)));
        }
        policies.keySet().removeIf(name -> immovable(name) != null);
        return policies;
    }

    /** The policies of RetryOn with nothing but what is set here, for a profile that lies over others. */
    Map<String, Map<String, String>> overlays() {
        Map<String, Map<String, String>> policies = new LinkedHashMap<>();
        configs.forEach((name, settings) -> policies.put(name, overlay(settings)));
        instances.forEach((name, settings) -> policies.put(name, overlay(settings)));
        policies.keySet().removeIf(name -> immovable(name) != null);
        return policies;
    }

    private Map<String, String> resolved(String name) {
        boolean isInstance = instances.containsKey(name);
        Map<String, String> own = (isInstance ? instances : configs).getOrDefault(name, Map.of());
        String base = own.get("base-config");
        Map<String, String> resolved = new LinkedHashMap<>();
        if (base != null && !base.equals(name)) {
            resolved.putAll(configs.getOrDefault(base, Map.of()));
        } else if (isInstance || !name.equals(DEFAULT)) {
            resolved.putAll(configs.getOrDefault(DEFAULT, Map.of()));
        }
        resolved.putAll(own);
        return resolved;
    }

    private static Map<String, String> whole(Map<String, String> theirs) {
        Map<String, String> ours = new LinkedHashMap<>();
        ours.put("exceptions", theirs.getOrDefault("retry-exceptions", "java.lang.Exception"));
        copy(theirs, "ignore-exceptions", ours, "excludes");
        copy(theirs, "max-attempts", ours, "max-attempts");
        String wait = theirs.get("wait-duration");
        // Without a wait duration Resilience4j takes no notice of what else is set for waits.
        boolean exponential = wait != null && isTrue(theirs, "enable-exponential-backoff");
        boolean random = wait != null && isTrue(theirs, "enable-randomized-wait");
        ours.put("backoff", exponential ? "exponential" : "fixed");
        ours.put("delay", wait == null ? "500ms" : wait);
        if (exponential) {
            ours.put("multiplier", theirs.getOrDefault("exponential-backoff-multiplier", "1.5"));
            if (theirs.containsKey("exponential-backoff-multiplier")) {
                copy(theirs, "exponential-max-wait-duration", ours, "max-delay");
            }
        }
        ours.put("jitter", random ? jitter(theirs.getOrDefault("randomized-wait-factor", "0.5")) : "none");
        return ours;
    }

    private static Map<String, String> overlay(Map<String, String> theirs) {
        Map<String, String> ours = new LinkedHashMap<>();
        copy(theirs, "retry-exceptions", ours, "exceptions");
        copy(theirs, "ignore-exceptions", ours, "excludes");
        copy(theirs, "max-attempts", ours, "max-attempts");
        if (theirs.containsKey("enable-exponential-backoff")) {
            ours.put("backoff", isTrue(theirs, "enable-exponential-backoff") ? "exponential" : "fixed");
        }
        copy(theirs, "wait-duration", ours, "delay");
        copy(theirs, "exponential-backoff-multiplier", ours, "multiplier");
        copy(theirs, "exponential-max-wait-duration", ours, "max-delay");
        boolean switched = theirs.containsKey("enable-randomized-wait");
        if (switched && !isTrue(theirs, "enable-randomized-wait")) {
            ours.put("jitter", "none");
        } else if (switched || theirs.containsKey("randomized-wait-factor")) {
            ours.put("jitter", jitter(theirs.getOrDefault("randomized-wait-factor", "0.5")));
        }
        return ours;
    }

    private static void copy(Map<String, String> from, String theirs, Map<String, String> to, String ours) {
        String value = from.get(theirs);
        if (value != null) {
            to.put(ours, value);
        }
    }

    private static boolean isTrue(Map<String, String> settings, String key) {
        return "true".equals(settings.get(key));
    }

    private static String jitter(String factor) {
        try {
            return Durations.percent(Double.parseDouble(factor));
        } catch (NumberFormatException ex) {
            return factor;
        }
    }

    private static String kebab(String key) {
        return key.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
    }
}
