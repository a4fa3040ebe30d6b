// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.soak;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.durable.internal.engine.CallStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import org.slf4j.LoggerFactory;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** The application whose methods are called. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
class SoakApplication {

    private static final String LOGGER = "dev.retryon";

    static ConfigurableApplicationContext start(SoakTally tally) {
        return new SpringApplicationBuilder(SoakApplication.class)
                .initializers(context -> context.getBeanFactory().registerSingleton("soakTally", tally))
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .properties("logging.level.root=error", "retryon.budgets.soak.ratio=0.3")
                .run();
    }

    /** Receives every line instead of the console, and sometimes fails. */
    static void logTo(SoakFaults faults) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
            @Override
            public synchronized void doAppend(ILoggingEvent event) {
                faults.maybeThrow();
            }

            @Override
            protected void append(ILoggingEvent event) {}
        };
        appender.setContext(context);
        appender.start();
        Logger logger = context.getLogger(LOGGER);
        logger.setAdditive(false);
        logger.setLevel(ch.qos.logback.classic.Level.INFO);
        logger.detachAndStopAllAppenders();
        logger.addAppender(appender);
    }

    @Bean
    SoakCalls soakCalls(SoakTally tally) {
        return new SoakCalls(tally);
    }

    @Bean
    MeterRegistry meterRegistry() {
        return new SimpleMeterRegistry();
    }

    @Bean
    CallStore soakLetters(SoakTally tally) {
        return SoakLetters.store(tally);
    }

    /** A listener that sometimes fails, in addition to the one that counts. */
    @Bean
    RetryListener faultyListener(SoakTally tally) {
        return new RetryListener() {
            @Override
            public void onEvent(RetryEvent event) {
                tally.faults().maybeThrow();
            }
        };
    }

    @Bean(destroyMethod = "shutdownNow")
    ExecutorService soakThreads() {
        ThreadFactory daemons = task -> {
            Thread thread = new Thread(task, "soak-executor");
            thread.setDaemon(true);
            return thread;
        };
        return Executors.newFixedThreadPool(4, daemons);
    }

    /** An executor that sometimes rejects. */
    @Bean
    Executor retryOnTaskExecutor(ExecutorService soakThreads, SoakTally tally) {
        return task -> {
            tally.faults().maybeThrow();
            soakThreads.execute(task);
        };
    }
}
