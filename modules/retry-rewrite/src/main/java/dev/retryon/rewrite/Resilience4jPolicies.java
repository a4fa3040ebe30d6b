// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The settings below {@code resilience4j.retry} of one document, by instance or configuration and key. */
final class Resilience4jPolicies {

    static final String PREFIX = "resilience4j.retry.";

    private static final String DEFAULT = "default";

    /** The settings that let code of the application decide whether or when to retry. */
    private static final List<String> BY_CODE =
            List.of("interval-bi-function", "result-predicate", "retry-exception-predicate");

    /** The keys whose values are converted, so that a placeholder cannot be copied. */
    private static final List<String> CONVERTED =
            List.of("base-config", "enable-exponential-backoff", "enable-randomized-wait", "randomized-wait-factor");

    /** The texts that Spring Boot reads as {@code true}. */
    private static final Set<String> TRUE = Set.of("true", "on", "yes", "1");

    private final Map<String, Map<String, String>> instances = new LinkedHashMap<>();

    private final Map<String, Map<String, String>> configs = new LinkedHashMap<>();

    private final List<String> remarks = new ArrayList<>();

    private boolean otherParts;

    private boolean forAProfile;

    private boolean policiesOfRetryOn;

    /**
     * Adds one property of the document, by its full name.
     *
     * @param value the value, or one value of a list; {@code null} if it is not a text
     */
    void add(String property, @Nullable String value) {
        otherParts |= property.startsWith("resilience4j.") && !(property + ".").startsWith(PREFIX);
        forAProfile |= property.equals("spring.config.activate.on-profile")
                // An empty mapping names no profile.
                || (property.equals("spring.profiles") && value != null);
        policiesOfRetryOn |= (property + ".").startsWith("retryon.policies.");
        if (value != null && property.startsWith(PREFIX)) {
            addRetry(property, value);
        }
    }

    private void addRetry(String property, String value) {
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

    /** Whether there are settings of other parts of Resilience4j. */
    boolean hasOtherParts() {
        return otherParts;
    }

    /** Whether the document overrides others if a profile is active. */
    boolean isForAProfile() {
        return forAProfile;
    }

    /** Whether the document has policies of RetryOn already. */
    boolean hasPoliciesOfRetryOn() {
        return policiesOfRetryOn;
    }

    /** The reason why an instance or configuration cannot move; {@code null} if it can. */
    @Nullable String immovable(String name) {
        Map<String, String> settings = resolved(name);
        for (String key : BY_CODE) {
            if (settings.containsKey(key)) {
                return key + ", a class that decides in code";
            }
        }
        for (String key : CONVERTED) {
            if (settings.getOrDefault(key, "").contains("${")) {
                return "a placeholder in " + key + ", which has another form in RetryOn";
            }
        }
        return null;
    }

    /** Whether not every exception is retried. */
    boolean selects(String name) {
        Map<String, String> settings = resolved(name);
        return settings.containsKey("retry-exceptions") || settings.containsKey("ignore-exceptions");
    }

    /**
     * The policies of RetryOn that annotations need.
     *
     * @param alone whether this document counts without another one, so that a policy has everything that base
     *     configurations and Resilience4j itself set; otherwise it adds to the policy of another document
     */
    Map<String, Map<String, String>> policies(boolean alone, Resilience4jFound found) {
        Map<String, Map<String, String>> policies = new LinkedHashMap<>();
        for (String name : all()) {
            if (found.moves(name)) {
                boolean whole = alone || !found.isWholeElsewhere(name);
                Map<String, String> own =
                        instances.containsKey(name) ? instances.get(name) : configs.getOrDefault(name, Map.of());
                policies.put(name, whole ? whole(resolved(name)) : overlay(own));
            }
        }
        policies.values().removeIf(Map::isEmpty);
        return policies;
    }

    /** The names of all configurations and instances. */
    Set<String> all() {
        Set<String> all = new LinkedHashSet<>(configs.keySet());
        all.addAll(instances.keySet());
        return all;
    }

    /** Returns remarks about settings that do not move. */
    List<String> remarks(Resilience4jFound found) {
        List<String> all = new ArrayList<>(remarks);
        if (!found.keepsSettings()) {
            instances.keySet().stream()
                    .filter(name -> !found.moves(name))
                    .forEach(name -> all.add("instance '" + name + "' was not moved: no @Retry uses it"));
        }
        return all;
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
        // Without a wait duration, Resilience4j ignores all other settings of waits.
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
        return TRUE.contains(settings.getOrDefault(key, "").toLowerCase(Locale.ROOT));
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
