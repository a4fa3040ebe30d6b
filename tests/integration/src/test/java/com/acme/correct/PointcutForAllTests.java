// SPDX-License-Identifier: Apache-2.0
package com.acme.correct;

import static org.assertj.core.api.Assertions.assertThat;

import com.acme.correct.Beans.Plain;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableTelemetryAutoConfiguration;
import dev.retryon.durable.internal.actuate.StoredCallsEndpoint;
import dev.retryon.http.autoconfigure.RetryHttpAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryEndpointAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** A pointcut for all public methods, in an application with several modules. */
class PointcutForAllTests {

    @TempDir
    private Path folder;

    /** The names of the classes whose beans are proxied. */
    static Set<String> proxied(ApplicationContext context) {
        return context.getBeansOfType(Object.class, false, true).values().stream()
                .filter(AopUtils::isAopProxy)
                .map(bean -> AopUtils.getTargetClass(bean).getName())
                .collect(Collectors.toSet());
    }

    @Test
    void isNotMeantForBeansOfRetryOn() {
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        WebEndpointAutoConfiguration.class,
                        RestClientAutoConfiguration.class,
                        RetryAutoConfiguration.class,
                        RetryEndpointAutoConfiguration.class,
                        RetryDurableCoreAutoConfiguration.class,
                        RetryDurableAutoConfiguration.class,
                        RetryDurableTelemetryAutoConfiguration.class,
                        RetryHttpAutoConfiguration.class))
                .withBean(Plain.class)
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=*",
                        "retryon.http.enabled=true",
                        "retryon.durable.store=embedded",
                        "retryon.durable.path=" + folder.resolve("calls.db"),
                        "retryon.pointcuts.others.expression=execution(public * *(..))",
                        "retryon.policies.others.exceptions=java.io.IOException")
                .run(context -> {
                    assertThat(context).hasSingleBean(StoredCallsEndpoint.class);
                    assertThat(proxied(context))
                            .contains(Plain.class.getName())
                            .noneMatch(name -> name.startsWith("dev.retryon."));
                });
    }

    @Test
    void leavesTheBeansOfBootAlone() {
        new ApplicationContextRunner()
                .withUserConfiguration(AllOfBoot.class)
                .withBean(Plain.class)
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=*",
                        "retryon.pointcuts.others.expression=execution(public * *(..))",
                        "retryon.policies.others.exceptions=java.io.IOException")
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(MeterRegistry.class);
                    assertThat(proxied(context)).contains(Plain.class.getName());
                });
    }

    @EnableAutoConfiguration
    static class AllOfBoot {}
}
