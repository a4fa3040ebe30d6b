// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;

/** Translates the attributes of Resilience4j's {@code @Retry}. */
final class Resilience4jTranslator {

    private static final String DEFAULT = "default";

    private Resilience4jTranslator() {}

    /** The instance or configuration whose settings an annotation uses. */
    static String policy(AnnotationAttributes attributes, Resilience4jModule module) {
        String configuration = attributes.text("configuration");
        String name = configuration == null || configuration.isEmpty() ? attributes.text("name") : configuration;
        return name != null && module.has(name) ? name : DEFAULT;
    }

    static void translate(Site site, Resilience4jModule module) {
        AnnotationAttributes attributes = site.attributes();
        Translation result = site.translation();
        String name = attributes.text("name");
        String configuration = attributes.text("configuration");
        if (name == null || configuration == null) {
            result.leave("its name is not a constant");
            return;
        }
        if (isExpression(name)) {
            result.leave("its name is an expression over the call");
            return;
        }
        String own = configuration.isEmpty() ? name : configuration;
        String policy = policy(attributes, module);
        settings(own, policy, module, result);
        result.text(
                "policy",
                policy,
                policy,
                policy.equals(own) ? attributes.constant(configuration.isEmpty() ? "name" : "configuration") : null);
        if (!policy.equals(name)) {
            result.text("name", name, name, attributes.constant("name"));
        }
        fallback(attributes, result);
    }

    /** Leaves the annotation unless all of its settings are in the files of the module and can move. */
    private static void settings(String name, String policy, Resilience4jModule module, Translation result) {
        String elsewhere = module.elsewhere();
        if (elsewhere != null) {
            result.leave("settings of '" + name + "' may come from " + elsewhere
                    + ", which this command does not read; move them to retryon.policies yourself");
        } else if (!module.has(policy)) {
            result.leave("no file of this module has settings for '" + name
                    + "'; write those that apply to retryon.policies." + name);
        } else {
            String obstacle = module.obstacle(policy);
            if (obstacle != null) {
                result.leave("the settings of '" + policy + "' " + obstacle);
            }
        }
    }

    private static void fallback(AnnotationAttributes attributes, Translation result) {
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
        // Resilience4j calls the fallback for every error, also for those that it does not retry. In RetryOn, an Error
        // needs an Error type.
        result.attribute(
                "recoverOn",
                Translation.list(List.of(Translation.literalOf("Exception"), Translation.literalOf("Error"))));
    }

    private static boolean isExpression(String text) {
        return text.contains("#") || text.contains("${") || text.startsWith("@");
    }
}
