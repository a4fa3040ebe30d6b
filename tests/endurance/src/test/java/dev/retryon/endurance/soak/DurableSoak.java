// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.soak;

import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.endurance.Endurance;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.util.FileSystemUtils;

/**
 * Durable calls from several threads for a while, stored in an SQLite file. Each accepted call must run once or be a dead
 * letter, and the meters must show the same numbers.
 */
final class DurableSoak {

    private static final int CALLERS = 4;

    /** The number of open calls at which the callers wait for the workers. */
    private static final int BEHIND = 500;

    /** How much the heap may grow between a third of the time and the end. */
    private static final long GROWTH_BYTES = 12 << 20;

    private final DurableSoakCalls calls;

    private final AtomicInteger numbers = new AtomicInteger();

    private final LongAdder accepted = new LongAdder();

    private final LongAdder refused = new LongAdder();

    private volatile boolean ending;

    private DurableSoak(DurableSoakCalls calls) {
        this.calls = calls;
    }

    /** The application whose methods are called. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    static class Application {

        @Bean
        DurableSoakCalls durableSoakCalls(SoakFaults faults) {
            return new DurableSoakCalls(faults);
        }

        @Bean
        MeterRegistry meterRegistry() {
            return new SimpleMeterRegistry();
        }

        /** A listener that sometimes fails, in addition to the one that counts. */
        @Bean
        RetryListener faultyListener(SoakFaults faults) {
            return new RetryListener() {
                @Override
                public void onEvent(RetryEvent event) {
                    faults.maybeThrow();
                }
            };
        }
    }

    static Soak.Outcome run(Duration time, int faultsPercent) throws InterruptedException, IOException {
        SoakFaults faults = new SoakFaults(faultsPercent);
        Path folder = Files.createTempDirectory("retryon-soak");
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .initializers(starting -> starting.getBeanFactory().registerSingleton("soakFaults", faults))
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .properties(
                        "logging.level.root=error",
                        "retryon.durable.store=embedded",
                        "retryon.durable.path=" + folder.resolve("calls.db"))
                .run()) {
            SoakApplication.logTo(faults);
            return new DurableSoak(context.getBean(DurableSoakCalls.class)).run(time, context, faults);
        } finally {
            FileSystemUtils.deleteRecursively(folder);
        }
    }

    private Soak.Outcome run(Duration time, ConfigurableApplicationContext context, SoakFaults faults)
            throws InterruptedException {
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            Thread caller = new Thread(this::call, "soak-durable-caller");
            caller.setDaemon(true);
            callers.add(caller);
            caller.start();
        }
        Endurance.pass(time.dividedBy(3));
        long heap = Soak.usedHeap();
        Endurance.pass(time.multipliedBy(2).dividedBy(3));
        ending = true;
        long growth = Soak.usedHeap() - heap;
        for (Thread caller : callers) {
            caller.join();
        }
        MeterRegistry meters = context.getBean(MeterRegistry.class);
        Soak.settle(this::open);
        // The last call is counted after its result is stored.
        Soak.settle(() -> calls.run() - succeeded(meters));
        Soak.settle(() -> refused.sum() + calls.dead() - sum(meters, "retryon.calls", "failure"));
        return outcome(meters, context.getBean(CallStore.class), growth, faults);
    }

    private void call() {
        while (!ending) {
            if (open() > BEHIND) {
                Thread.onSpinWait();
                continue;
            }
            int number = numbers.getAndIncrement();
            try {
                if (ThreadLocalRandom.current().nextBoolean()) {
                    calls.outbox(number);
                } else {
                    calls.onFailure(number);
                }
                accepted.increment();
            } catch (Exception | Error ex) {
                refused.increment();
            }
        }
    }

    /** Accepted calls that neither ran nor are dead. A call can run before its caller knows that it was accepted. */
    private long open() {
        return accepted.sum() - calls.run() - calls.dead();
    }

    private Soak.Outcome outcome(MeterRegistry meters, CallStore letters, long growth, SoakFaults faults) {
        List<String> violations = new ArrayList<>();
        long stored = letters.count(StoredCalls.Filter.of(State.DEAD));
        Soak.equal(violations, "durable calls accepted = run + dead letters", accepted.sum(), calls.run() + stored);
        Soak.equal(violations, "durable calls run twice", calls.runTwice(), 0);
        Soak.equal(violations, "dead letters = events", stored, calls.dead());
        Soak.equal(violations, "dead letters = meter", stored, sum(meters, "retryon.deadletters.stored", null));
        Soak.equal(violations, "durable calls that succeeded = meter", calls.run(), succeeded(meters));
        Soak.equal(
                violations,
                "durable calls refused or dead = meter",
                refused.sum() + stored,
                sum(meters, "retryon.calls", "failure"));
        if (calls.run() == 0 || stored == 0) {
            violations.add("no durable call ran, or none died");
        }
        if (growth > GROWTH_BYTES) {
            violations.add("the heap grew by " + growth + " bytes");
        }
        String line = "durable: " + numbers.get() + " calls, " + accepted.sum() + " accepted, " + calls.run() + " run, "
                + stored + " dead letters, " + calls.attempts() + " attempts, " + faults.thrown()
                + " faults thrown; heap " + growth / 1024 + " KiB more than after a third of the time";
        return new Soak.Outcome(List.of(line), violations);
    }

    private static long succeeded(MeterRegistry meters) {
        return sum(meters, "retryon.calls", "success") + sum(meters, "retryon.calls", "success_after_retry");
    }

    private static long sum(MeterRegistry meters, String name, @Nullable String outcome) {
        return Soak.sum(outcome == null ? meters.find(name) : meters.find(name).tag("outcome", outcome));
    }
}
