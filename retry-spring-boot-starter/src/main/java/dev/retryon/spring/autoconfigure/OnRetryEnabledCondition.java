// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.module.StarterLog;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches unless {@code retryon.enabled} is false. Rejects a value that is not a boolean, because Boot's own condition would
 * silently switch retries off.
 */
final class OnRetryEnabledCondition extends SpringBootCondition {

    private static final String PROPERTY = "retryon.enabled";

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Environment environment = context.getEnvironment();
        try {
            boolean enabled = environment.getProperty(PROPERTY, Boolean.class, true);
            if (!enabled) {
                StarterLog.info("RetryOn is switched off because " + PROPERTY + " is false, so no method is retried");
            }
            return new ConditionOutcome(
                    enabled, ConditionMessage.forCondition("RetryOn").because(PROPERTY + " is " + enabled));
        } catch (ConversionException ex) {
            throw new InvalidConfigurationPropertyValueException(
                    PROPERTY, environment.getProperty(PROPERTY), "It must be true or false.");
        }
    }
}
