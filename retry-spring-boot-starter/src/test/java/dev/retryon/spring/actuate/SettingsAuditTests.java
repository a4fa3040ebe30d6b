/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryEndpointAutoConfiguration;
import dev.retryon.spring.method.RuntimeChange;
import dev.retryon.spring.method.RuntimeSettings;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.actuate.audit.InMemoryAuditEventRepository;
import org.springframework.boot.actuate.autoconfigure.audit.AuditAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Changes of settings in the audit, where contexts have parents. */
class SettingsAuditTests {

    private static final RuntimeChange.Target EVERYTHING = new RuntimeChange.Target(RuntimeChange.Scope.ALL, "", false);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(RetryAutoConfiguration.class, RetryEndpointAutoConfiguration.class))
            .withPropertyValues("management.endpoints.web.exposure.include=retryon");

    /** Spring hands the events of a child to its parent too. */
    @Test
    void aChangeInAChildIsAuditedOnce() {
        runner.withConfiguration(AutoConfigurations.of(AuditAutoConfiguration.class))
                .withBean(AuditEventRepository.class, InMemoryAuditEventRepository::new)
                .run(parent -> runner.withParent(parent).run(child -> {
                    AuditEventRepository audit = parent.getBean(AuditEventRepository.class);
                    assertThat(child.containsLocalBean("retryOnSettingsAudit")).isTrue();

                    child.getBean(RuntimeSettings.class).change(EVERYTHING, Map.of("maxAttempts", "1"), null, "me");
                    assertThat(audit.find("me", null, SettingsAudit.TYPE)).hasSize(1);

                    parent.getBean(RuntimeSettings.class).change(EVERYTHING, Map.of("maxAttempts", "1"), null, "me");
                    assertThat(audit.find("me", null, SettingsAudit.TYPE)).hasSize(2);
                }));
    }
}
