// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.durable;

import java.time.Duration;
import java.util.Map;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** The application whose durable methods are called. It has no meters, because db-scheduler alone has none. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class DurableApplication {

    /** The default number of threads of RetryOn, which db-scheduler also gets. */
    static final int THREADS = 5;

    static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

    static ConfigurableApplicationContext start(Map<String, Object> database) {
        return new SpringApplicationBuilder(DurableApplication.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .properties(database)
                .properties(
                        "logging.level.root=error",
                        "retryon.metrics.enabled=false",
                        "management.observations.enable.all=false",
                        "retryon.durable.threads=" + THREADS,
                        "retryon.durable.poll-interval=" + POLL_INTERVAL)
                .run();
    }

    @Bean
    Arrivals arrivals() {
        return new Arrivals();
    }

    @Bean
    Orders orders(Arrivals arrivals) {
        return new Orders(arrivals);
    }
}
