// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.durable.Durable;
import dev.retryon.durable.internal.call.DurableCheck;
import dev.retryon.durable.internal.settings.DurableGroup;
import dev.retryon.spring.Place;
import dev.retryon.spring.module.MethodsCheck;
import dev.retryon.spring.module.RetriedMethod;
import dev.retryon.spring.module.RetryFaults;
import dev.retryon.spring.module.SettingGroup;
import java.util.List;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Checks properties and durable methods at start-up. An application without durable methods does not load the classes that
 * they need.
 */
record DurableStartCheck(
        ConfigurableListableBeanFactory beanFactory, RetryDeadLetterProperties deadLetter, RetryJdbcProperties jdbc)
        implements MethodsCheck {

    private static final String HEALTH = "org.springframework.boot.health.contributor.HealthIndicator";

    @Override
    public void complete(RetryFaults faults) {
        if (SettingGroup.of(Durable.class) == null) {
            faults.add(
                    Place.code("META-INF/spring.factories"),
                    "the entry for " + DurableGroup.class.getName()
                            + " was not found, so @Durable would have no effect; if your build merges several jars into one,"
                            + " append their META-INF/spring.factories, and load retry-durable with the same class loader as"
                            + " retry-spring-boot-starter");
        }
        boolean hasHealth = ClassUtils.isPresent(HEALTH, beanFactory.getBeanClassLoader());
        deadLetter.checkNeeds(() -> DurableCheck.keepsDeadLetters(beanFactory), hasHealth, faults);
        jdbc.checkNeeds(beanFactory.containsBeanDefinition("retryOnSharedSettings"), faults);
    }

    @Override
    public void check(List<RetriedMethod> methods, RetryFaults faults) {
        if (methods.stream().anyMatch(RetriedMethod::isHandedOver)) {
            new DurableCheck(beanFactory, faults).check(methods);
        }
    }
}
