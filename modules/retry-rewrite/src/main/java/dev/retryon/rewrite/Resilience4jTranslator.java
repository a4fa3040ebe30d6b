// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;

/** Translates the attributes of Resilience4j's {@code @Retry}. */
final class Resilience4jTranslator {

    private final Resilience4jFound found;

    Resilience4jTranslator(Resilience4jFound found) {
        this.found = found;
    }

    /** The instance or configuration that an annotation uses; {@code null} if it can't be known. */
    static @Nullable String policy(AnnotationAttributes attributes) {
        String name = attributes.text("name");
        String configuration = attributes.text("configuration");
        String fallback = attributes.text("fallbackMethod");
        if (name == null || configuration == null || fallback == null || isExpression(name) || isExpression(fallback)) {
            return null;
        }
        return configuration.isEmpty() ? name : configuration;
    }

    Translation translate(AnnotationAttributes attributes) {
        Translation result = new Translation();
        String name = attributes.text("name");
        String configuration = attributes.text("configuration");
        if (name == null || configuration == null) {
            result.leave("its name is not a constant");
            return result;
        }
        if (isExpression(name)) {
            result.leave("its name is an expression over the call");
            return result;
        }
        String policy = configuration.isEmpty() ? name : configuration;
        boolean known = found.hasPolicy(policy);
        String used = known ? policy : "default";
        String reason = found.immovable().get(used);
        if (reason != null) {
            result.leave("the settings of '" + used + "' have " + reason);
        } else if (!known && found.mayBeConfiguredByCode()) {
            result.leave("'" + policy + "' is in no properties, so it may be configured in code");
        }
        if (known) {
            result.text(
                    "policy", policy, policy, attributes.constant(configuration.isEmpty() ? "name" : "configuration"));
        } else if (found.hasPolicy("default")) {
            result.text("policy", "default");
        }
        if (!used.equals(name)) {
            result.text("name", name, name, attributes.constant("name"));
        }
        if (!known && !found.hasPolicy("default")) {
            result.attribute("exceptions", Translation.literalOf("Exception"));
            result.text("backoff", "fixed");
            result.text("delay", "500ms");
            result.text("jitter", "none");
        }
        fallback(attributes, used, result);
        return result;
    }

    private void fallback(AnnotationAttributes attributes, String policy, Translation result) {
        @Nullable Expression fallback = attributes.get("fallbackMethod");
        String text = attributes.text("fallbackMethod");
        if (fallback == null || "".equals(text)) {
            return;
        }
        if (text == null || isExpression(text)) {
            result.leave("fallbackMethod is not a constant");
            return;
        }
        result.attribute("recover", fallback);
        if (found.selects(policy)) {
            // Resilience4j calls the fallback for errors that it does not retry, too.
            result.attribute("recoverOn", Translation.literalOf("Throwable"));
        }
    }

    private static boolean isExpression(String text) {
        return text.contains("#") || text.contains("${") || text.startsWith("@");
    }
}
