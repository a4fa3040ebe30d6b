// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryEndpointAutoConfiguration;
import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.module.RetrySettings;
import dev.retryon.spring.module.RuntimeChange;
import dev.retryon.spring.module.Setting;
import dev.retryon.spring.module.SettingSource;
import java.util.Map;
import java.util.Set;
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

    @Test
    void propertiesThatAChildTakesOverAreAuditedOnce() {
        runner.withConfiguration(AutoConfigurations.of(AuditAutoConfiguration.class))
                .withBean(AuditEventRepository.class, InMemoryAuditEventRepository::new)
                .run(parent -> runner.withParent(parent).run(child -> {
                    ConfiguredLayers now = child.getBean(ConfiguredLayers.class);
                    RetrySettings defaults = RetrySettings.builder()
                            .set(Setting.MAX_ATTEMPTS, 9)
                            .build()
                            .from(SettingSource.DEFAULTS);
                    ConfiguredLayers read = new ConfiguredLayers(
                            defaults, now.policies(), now.methods(), now.budgets(), now.maxAttemptsLimit());

                    child.getBean(RuntimeSettings.class).takeOver(() -> read, Set.of());

                    assertThat(parent.getBean(AuditEventRepository.class).find(null, null, SettingsAudit.TYPE))
                            .hasSize(1);
                }));
    }
}
