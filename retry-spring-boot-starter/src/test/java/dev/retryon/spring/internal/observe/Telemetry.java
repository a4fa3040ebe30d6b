// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

import dev.retryon.spring.VirtualTimeBeans;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryMetricsAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryTelemetryAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The applications that these tests start. */
public final class Telemetry {

    private Telemetry() {}

    /** An application that tells of its retries, and does not really wait. */
    public static ApplicationContextRunner application() {
        return realTime().withUserConfiguration(VirtualTimeBeans.class);
    }

    /** An application that tells of its retries. */
    public static ApplicationContextRunner realTime() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        RetryAutoConfiguration.class,
                        RetryMetricsAutoConfiguration.class,
                        RetryTelemetryAutoConfiguration.class))
                .withBean(Payments.class);
    }
}
