// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.List;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/** Translates the attributes of Resilience4j's {@code @Retry}. */
final class Resilience4jTranslator {

    private static final String DEFAULT = "default";

    private Resilience4jTranslator() {}

    static String policy(AnnotationAttributes attributes, Resilience4jModule module) {
        String own = attributes.text(key(attributes));
        return module.has(own) ? own : DEFAULT;
    }

    private static String key(AnnotationAttributes attributes) {
        return attributes.isSet("configuration") ? "configuration" : "name";
    }

    static void translate(Site site, Resilience4jModule module) {
        AnnotationAttributes attributes = site.attributes();
        Translation result = site.translation();
        String name = attributes.text("name");
        if (isExpression(name)) {
            result.leave("its name is an expression that uses the call");
            return;
        }
        String own = attributes.text(key(attributes));
        String policy = policy(attributes, module);
        settings(own, policy, module, result);
        Expression constant = policy.equals(own) ? attributes.constant(key(attributes)) : null;
        result.text("policy", policy, policy, constant);
        if (!policy.equals(name)) {
            result.text("name", name, name, attributes.constant("name"));
        }
        fallback(attributes, site);
    }

    /** Leaves the annotation unless all of its settings are in the module's files and can be migrated. */
    private static void settings(String name, String policy, Resilience4jModule module, Translation result) {
        String elsewhere = module.elsewhere();
        if (elsewhere != null) {
            result.leave("settings of '" + name + "' might come from " + elsewhere
                    + ", which this command does not read; move them to retryon.policies yourself");
        } else if (!module.has(policy)) {
            result.leave("no file of this module has settings for '" + name
                    + "'; add the applicable settings to retryon.policies." + name);
        } else {
            String obstacle = module.obstacle(policy);
            if (obstacle != null) {
                result.leave("the settings of '" + policy + "' " + obstacle);
            }
        }
    }

    private static void fallback(AnnotationAttributes attributes, Site site) {
        Translation result = site.translation();
        if (!attributes.isSet("fallbackMethod")) {
            return;
        }
        String name = attributes.text("fallbackMethod");
        if (isExpression(name)) {
            result.leave("fallbackMethod is not a constant");
        }
        site.recoverOnlyWith(name, method -> {
            List<JavaType> parameters = method.getParameterTypes();
            return !parameters.isEmpty()
                    && TypeUtils.isAssignableTo("java.lang.Throwable", parameters.get(parameters.size() - 1));
        });
        result.copy("recover", attributes.get("fallbackMethod"));
        // Resilience4j calls the fallback for every error, even for errors that it does not retry. In RetryOn, an Error
        // needs an Error type.
        result.attribute("recoverOn", Translation.anyThrown());
    }

    private static boolean isExpression(String text) {
        return text.contains("#") || text.contains("${") || text.startsWith("@");
    }
}
