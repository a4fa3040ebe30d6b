// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryEngine;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class VirtualEngineTimeTests {

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withUserConfiguration(VirtualRetriesConfiguration.class);

    private final ApplicationContextRunner withRetries =
            runner.withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class));

    @Test
    void startsWhereTheEngineLivesInVirtualTime() {
        withRetries.run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void failsWhereRetriesAreSwitchedOff() {
        withRetries
                .withPropertyValues("retryon.enabled=false")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("needs the auto-configuration")
                        .hasMessageContaining("retryon.enabled is false"));
    }

    @Test
    void failsWithoutTheAutoConfiguration() {
        runner.run(context -> assertThat(context).getFailure().hasMessageContaining("needs the auto-configuration"));
    }

    @Test
    void failsWhereTheApplicationHasAnEngineOfItsOwn() {
        withRetries
                .withBean(RetryEngine.class, () -> RetryEngine.builder().build())
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContaining("the application defines that bean itself"));
    }
}
