// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.spring.internal.actuate.RetryOnEndpoint;
import dev.retryon.spring.internal.actuate.RetryOnEndpointWebExtension;
import dev.retryon.spring.internal.actuate.RetryOnEventsEndpoint;
import dev.retryon.spring.internal.actuate.RetryOnEventsEndpointWebExtension;
import dev.retryon.spring.internal.observe.Payments;
import dev.retryon.spring.internal.policy.NamedRetries;
import dev.retryon.spring.internal.policy.RetryBudgets;
import dev.retryon.spring.internal.report.TagValues;
import dev.retryon.spring.internal.settings.ConfiguredLayers;
import dev.retryon.spring.module.RetryFaults;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.mock.env.MockEnvironment;

class RetryTelemetryAutoConfigurationTests {

    private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RetryTelemetryAutoConfiguration.class,
                    RetryMetricsAutoConfiguration.class,
                    RetryEndpointAutoConfiguration.class,
                    RetryAutoConfiguration.class,
                    MetricsAutoConfiguration.class,
                    SimpleMetricsExportAutoConfiguration.class,
                    CompositeMeterRegistryAutoConfiguration.class,
                    ObservationAutoConfiguration.class))
            .withPropertyValues("retryon.defaults.backoff=none", "management.endpoints.web.exposure.include=*")
            .withBean(Payments.class);

    @Test
    void tellsEverybodyByDefault() {
        runner.run(context -> {
            assertThat(context)
                    .hasNotFailed()
                    .hasBean("retryOnLogger")
                    .hasBean("retryOnEventPublisher")
                    .hasBean("retryOnObservations")
                    .hasBean("retryOnMeters")
                    .hasSingleBean(RetryOnEndpoint.class)
                    .hasSingleBean(RetryOnEndpointWebExtension.class)
                    .hasSingleBean(RetryOnEventsEndpoint.class)
                    .hasSingleBean(RetryOnEventsEndpointWebExtension.class);
            context.getBean(Payments.class).charge(2);
            assertThat(context.getBean(MeterRegistry.class)
                            .get("retryon.retries")
                            .tag("name", "Payments.charge")
                            .counter()
                            .count())
                    .isEqualTo(2);
            assertThat(context.getBean(RetryOnEventsEndpoint.class)
                            .events("Payments.charge", null)
                            .events())
                    .hasSize(3); // two retries and the success
        });
    }

    @Test
    void givesWayToBeansOfTheUsers() {
        WebApplicationContextRunner replaced = runner;
        for (String listener :
                List.of("retryOnLogger", "retryOnEventPublisher", "retryOnObservations", "retryOnMeters")) {
            replaced = replaced.withBean(listener, Recorder.class);
        }
        replaced.withBean(
                        "myRetries",
                        RetryOnEndpoint.class,
                        () -> new RetryOnEndpoint(
                                new NamedRetries(false, new TagValues("name", TagValues.DEFAULT_LIMIT)),
                                false,
                                RetryTelemetryAutoConfigurationTests::layers,
                                budgets(),
                                Show.NEVER))
                .withBean(
                        "myEvents",
                        RetryOnEventsEndpoint.class,
                        () -> new RetryOnEventsEndpoint(
                                1, new NamedRetries(false, new TagValues("name", TagValues.DEFAULT_LIMIT)), Show.NEVER))
                .run(context -> {
                    assertThat(context.getBean(RetryOnEndpoint.class)).isSameAs(context.getBean("myRetries"));
                    assertThat(context.getBean(RetryOnEventsEndpoint.class)).isSameAs(context.getBean("myEvents"));
                    assertThat(context.getBean(Payments.class).charge(2)).isEqualTo("charged");
                    assertThat(context.getBeansOfType(Recorder.class).values())
                            .hasSize(4)
                            .allSatisfy(listener -> assertThat(listener.events).hasSize(3)); // two retries, the end
                });
    }

    /** A listener in place of one of ours. */
    static class Recorder implements RetryListener {

        private final List<RetryEvent> events = new ArrayList<>();

        @Override
        public void onEvent(RetryEvent event) {
            events.add(event);
        }
    }

    private static ConfiguredLayers layers() {
        RetryFaults faults = new RetryFaults();
        return new Binder()
                .bindOrCreate("retryon", RetryProperties.class)
                .toLayers(new GroupProperties(new MockEnvironment(), faults), faults);
    }

    private static RetryBudgets budgets() {
        return new RetryBudgets(Map.of());
    }

    @Test
    void tellsListenersOfTheUsersToo() {
        List<RetryEvent> heard = new ArrayList<>();
        runner.withBean("mine", RetryListener.class, () -> heard::add).run(context -> {
            context.getBean(Payments.class).charge(1);
            assertThat(heard).hasSize(2);
        });
    }

    @Test
    void worksWithoutMicrometer() {
        runner.withClassLoader(new FilteredClassLoader("io.micrometer")).run(context -> {
            assertThat(context)
                    .hasNotFailed()
                    .hasBean("retryOnLogger")
                    .hasBean("retryOnEventPublisher")
                    .hasSingleBean(RetryOnEndpoint.class)
                    .hasSingleBean(RetryOnEventsEndpoint.class)
                    .doesNotHaveBean("retryOnMeters")
                    .doesNotHaveBean("retryOnObservations");
            context.getBean(Payments.class).charge(0);
            context.getBean(Payments.class).charge(2);
            Object charge = context.getBean(RetryOnEndpoint.class).retried("Payments.charge");
            assertThat(charge).extracting("retries", "calls.success").containsExactly(2L, 1L);
        });
    }

    @Test
    void worksWithoutTheActuator() {
        runner.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
                .run(context -> {
                    assertThat(context)
                            .hasNotFailed()
                            .hasBean("retryOnMeters")
                            .doesNotHaveBean("retryOnEndpoint")
                            .doesNotHaveBean("retryOnEventsEndpoint");
                    assertThat(context.getBean(Payments.class).charge(2)).isEqualTo("charged");
                });
    }

    @Test
    void worksWithoutEither() {
        runner.withClassLoader(new FilteredClassLoader("io.micrometer", "org.springframework.boot.actuate"))
                .run(context ->
                        assertThat(context.getBean(Payments.class).charge(2)).isEqualTo("charged"));
    }

    @Test
    void collectsNothingForEndpointsThatNobodyCanReach() {
        runner.withPropertyValues("management.endpoints.web.exposure.include=health")
                .run(context -> assertThat(context)
                        .doesNotHaveBean(RetryOnEndpoint.class)
                        .doesNotHaveBean(RetryOnEventsEndpoint.class));
    }

    @Test
    void isSilentIfRetriesAreSwitchedOff() {
        runner.withPropertyValues("retryon.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(RetryListener.class)
                        .doesNotHaveBean(RetryOnEndpoint.class)
                        .doesNotHaveBean(RetryOnEventsEndpoint.class));
    }

    @ParameterizedTest
    @ValueSource(ints = {-5, 0, 100_001})
    void refusesACapacityThatMakesNoSense(int capacity) {
        runner.withPropertyValues("retryon.events.capacity=" + capacity).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("retryon.events.capacity")
                    .hasStackTraceContaining("is '" + capacity + "', but must be between 1 and 100000");
        });
    }
}
