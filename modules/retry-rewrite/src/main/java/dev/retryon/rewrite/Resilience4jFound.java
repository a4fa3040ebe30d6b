// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The findings about Resilience4j, with the settings of all documents. */
final class Resilience4jFound extends Found {

    private final Set<String> policies = new HashSet<>();

    private final Set<String> selecting = new HashSet<>();

    private final Map<String, String> immovable = new HashMap<>();

    private final Set<String> whole = new HashSet<>();

    private final Set<String> used = new HashSet<>();

    private boolean java;

    private boolean configuredByCode;

    private boolean otherParts;

    /**
     * Records the settings of one document.
     *
     * @param alone whether the document counts without another one
     */
    void add(Resilience4jPolicies document, boolean alone) {
        otherParts |= document.hasOtherParts();
        document.all().forEach(name -> {
            policies.add(name);
            if (alone) {
                whole.add(name);
            }
            if (document.selects(name)) {
                selecting.add(name);
            }
            String reason = document.immovable(name);
            if (reason != null) {
                immovable.put(name, reason);
            }
        });
    }

    /** Records a Java source, whose annotations show which settings are in use. */
    void hasJava() {
        java = true;
    }

    /** Records the policy that an annotation names. */
    void uses(String policy) {
        used.add(policy);
    }

    /** Records code that configures retries of Resilience4j. */
    void isConfiguredByCode() {
        configuredByCode = true;
    }

    /** Records a circuit breaker, a bulkhead or another part of Resilience4j. */
    void hasOtherParts() {
        otherParts = true;
    }

    @Override
    void isUsedInOtherLanguage() {
        super.isUsedInOtherLanguage();
        isConfiguredByCode();
    }

    boolean mayBeConfiguredByCode() {
        return configuredByCode;
    }

    /** Whether the settings of Resilience4j's retries stay, beside those of RetryOn. */
    boolean keepsSettings() {
        return anythingStays() || !immovable.isEmpty();
    }

    boolean keepsDependency() {
        return keepsSettings() || otherParts || !movesAnything();
    }

    /** Whether the settings of a name become a policy: an annotation uses them and nothing keeps them. */
    boolean moves(String name) {
        return !boot().isAbsent()
                && !immovable.containsKey(name)
                && (!java || used.contains(name) || (name.equals("default") && usesDefault()));
    }

    private boolean usesDefault() {
        return !configuredByCode && !policies.containsAll(used);
    }

    /** Whether a document that is not for a profile has the settings of a name. */
    boolean isWholeElsewhere(String name) {
        return whole.contains(name);
    }

    boolean hasPolicy(String name) {
        return policies.contains(name);
    }

    /** Whether a policy does not retry every exception. */
    boolean selects(String name) {
        return selecting.contains(name);
    }

    Map<String, String> immovable() {
        return immovable;
    }
}
