// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.Action.What;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableTelemetryAutoConfiguration;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.letter.Letters;
import dev.retryon.durable.internal.store.TestDatabase;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryTelemetryAutoConfiguration;
import dev.retryon.spring.internal.policy.Applications;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.IndicatedHealthDescriptor;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** What {@code /actuator/health} says of dead letters. */
class DeadLettersHealthTests {

    private final CallStore store = TestDatabase.calls();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    HealthContributorAutoConfiguration.class,
                    HealthContributorRegistryAutoConfiguration.class,
                    HealthEndpointAutoConfiguration.class,
                    RetryDurableCoreAutoConfiguration.class,
                    RetryAutoConfiguration.class,
                    RetryDurableAutoConfiguration.class,
                    RetryTelemetryAutoConfiguration.class,
                    RetryDurableTelemetryAutoConfiguration.class))
            .withPropertyValues("management.endpoint.health.show-details=always");

    private final ApplicationContextRunner withStore = runner.withBean(CallStore.class, () -> store);

    @Test
    void saysNothingWithoutAThreshold() {
        put("a", Duration.ofDays(1000));
        withStore.run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(DeadLettersHealthIndicator.class);
            assertThat(context.getBean(HealthEndpoint.class).healthForPath("retryOnDeadLetters"))
                    .isNull();
        });
    }

    @Test
    void warnsOfMoreThanTheOperatorAllowsAndLeavesTheWholeUp() {
        put("a", Duration.ofMinutes(1));
        withStore.withPropertyValues("retryon.dead-letter.health.max-count=1").run(context -> {
            assertThat(component(context).getStatus().getCode()).isEqualTo("UP");
            assertThat(details(context)).containsEntry("dead", 1L).doesNotContainKey("problem");
        });
        put("b", Duration.ofMinutes(2));
        withStore.withPropertyValues("retryon.dead-letter.health.max-count=1").run(context -> {
            assertThat(component(context).getStatus()).isEqualTo(DeadLettersHealthIndicator.WARNING);
            assertThat(details(context))
                    .containsEntry("dead", 2L)
                    .containsEntry(
                            "problem", "the number of dead letters exceeds retryon.dead-letter.health.max-count=1");
            assertThat(context.getBean(HealthEndpoint.class)
                            .health()
                            .getStatus()
                            .getCode())
                    .isEqualTo("UP");
        });
        withStore
                .withPropertyValues(
                        "retryon.dead-letter.health.max-count=1",
                        "management.endpoint.health.status.order=down,out-of-service,warning,unknown,up")
                .run(context -> assertThat(context.getBean(HealthEndpoint.class)
                                .health()
                                .getStatus()
                                .getCode())
                        .isEqualTo("WARNING"));
    }

    @Test
    void warnsOfALetterThatIsDeadForTooLong() {
        put("old", Duration.ofHours(3));
        ApplicationContextRunner limited = withStore.withPropertyValues("retryon.dead-letter.health.max-age=2h");
        limited.run(context -> {
            assertThat(component(context).getStatus()).isEqualTo(DeadLettersHealthIndicator.WARNING);
            assertThat(details(context))
                    .containsEntry(
                            "problem",
                            "the oldest dead letter is older than" + " retryon.dead-letter.health.max-age=2h");
        });
        store.discard("old", new StoredCall.Action(Instant.now(), null, What.DISCARDED, null));
        put("new", Duration.ofHours(1));
        limited.run(
                context -> assertThat(component(context).getStatus().getCode()).isEqualTo("UP"));
    }

    @Test
    void isUnknownIfTheStoreDoesNotAnswer() {
        runner.withBean(
                        CallStore.class,
                        () -> {
                            throw new IllegalStateException("no store");
                        },
                        definition -> definition.setLazyInit(true))
                .withPropertyValues("retryon.dead-letter.health.max-count=1")
                .run(context -> {
                    assertThat(component(context).getStatus().getCode()).isEqualTo("UNKNOWN");
                    assertThat(details(context)).containsEntry("problem", "the store of dead letters does not respond");
                });
    }

    @Test
    void isSwitchedOffAsAnyHealth() {
        withStore
                .withPropertyValues(
                        "retryon.dead-letter.health.max-count=1", "management.health.retryondeadletters.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(DeadLettersHealthIndicator.class));
    }

    @Test
    void aThresholdNeedsTheHealthOfSpringBoot() {
        ApplicationContextRunner without = new ApplicationContextRunner()
                .withClassLoader(new FilteredClassLoader("org.springframework.boot.health.contributor"))
                .withConfiguration(AutoConfigurations.of(
                        RetryDurableCoreAutoConfiguration.class,
                        RetryAutoConfiguration.class,
                        RetryDurableAutoConfiguration.class,
                        RetryTelemetryAutoConfiguration.class,
                        RetryDurableTelemetryAutoConfiguration.class))
                .withBean(CallStore.class, () -> store);
        without.run(context -> assertThat(context).hasNotFailed());
        without.withPropertyValues("retryon.dead-letter.health.max-age=1d")
                .run(context -> assertThat(Applications.faults(context))
                        .extracting(RetryFault::toString)
                        .containsExactly("retryon.dead-letter.health: is set, but spring-boot-health is not on the"
                                + " class path; add org.springframework.boot:spring-boot-health"));
    }

    private static IndicatedHealthDescriptor component(ApplicationContext context) {
        return (IndicatedHealthDescriptor) context.getBean(HealthEndpoint.class).healthForPath("retryOnDeadLetters");
    }

    private static Map<String, Object> details(ApplicationContext context) {
        return component(context).getDetails();
    }

    private void put(String id, Duration age) {
        store.put(
                Letters.letter(id, "com.acme.Mails#send()", "[]", Instant.now().minus(age)));
    }
}
