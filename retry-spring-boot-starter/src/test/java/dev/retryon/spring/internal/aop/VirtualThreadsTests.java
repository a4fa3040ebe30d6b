// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryContext;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * Blocking calls on virtual threads. JDK 17 has none, so there is nothing to test there; every build that is to be
 * accepted runs on the newest JDK too, and so runs this.
 */
@EnabledForJreRange(min = JRE.JAVA_25)
@Timeout(300)
class VirtualThreadsTests {

    private static final int CALLS = 10_000;

    private static final String PINNED = "jdk.VirtualThreadPinned";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withPropertyValues(
                    "retryon.defaults.backoff=fixed", "retryon.defaults.delay=1s", "retryon.defaults.jitter=none")
            .withBean(Payments.class);

    @Test
    void tenThousandCallsWaitTogetherAndPinNoThread(@TempDir Path folder) {
        runner.run(context -> {
            Payments payments = context.getBean(Payments.class);
            // Loading classes pins whoever else waits for them, once in the life of a JVM: those of a first retry, and
            // those of many at once.
            callTogether(payments);
            Path file = folder.resolve("pinned.jfr");
            long start;
            Duration took;
            try (Recording recording = new Recording()) {
                recording.enable(PINNED).withThreshold(Duration.ZERO).withStackTrace();
                recording.start();
                start = System.nanoTime();
                callTogether(payments);
                took = Duration.ofNanos(System.nanoTime() - start);
                recording.stop();
                recording.dump(file);
            }
            System.out.printf(
                    "%,d calls on virtual threads, one retry after 1 s each: %,d ms%n", CALLS, took.toMillis());
            // One after the other they would take 10 000 s, for which there is no time.
            assertThat(took).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
            assertThat(pinnedByUs(file)).isEmpty();
        });
    }

    /**
     * The pins that RetryOn causes. Pins by the initialisation of a class or by the recorder do not count, nor do events
     * without a stack trace.
     */
    private static List<RecordedEvent> pinnedByUs(Path file) throws IOException {
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals(PINNED))
                .filter(event -> !waitedForClassInitialization(event))
                .filter(event -> event.getStackTrace() != null
                        && event.getStackTrace().getFrames().stream()
                                .anyMatch(frame ->
                                        frame.getMethod().getType().getName().startsWith("dev.retryon.")))
                .toList();
    }

    /** Happens once in the life of a JVM, also to a class that the recorder itself brings in. */
    private static boolean waitedForClassInitialization(RecordedEvent event) {
        return event.hasField("pinnedReason")
                && String.valueOf(event.getString("pinnedReason")).contains("initialization of");
    }

    private static void callTogether(Payments payments) throws Exception {
        ExecutorService threads = virtualThreads();
        try {
            List<Future<String>> calls = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                calls.add(threads.submit(payments::charge));
            }
            for (Future<String> call : calls) {
                assertThat(call.get()).isEqualTo("attempt 2");
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** By name, for the tests are compiled for JDK 17. */
    private static ExecutorService virtualThreads() throws ReflectiveOperationException {
        MethodHandle make = MethodHandles.publicLookup()
                .findStatic(
                        Executors.class,
                        "newVirtualThreadPerTaskExecutor",
                        MethodType.methodType(ExecutorService.class));
        try {
            return (ExecutorService) make.invokeExact();
        } catch (Throwable ex) {
            throw new AssertionError(ex);
        }
    }

    static class Payments {

        @RetryOn(IOException.class)
        public String charge() throws IOException {
            int attempt = RetryContext.current().attempt();
            if (attempt == 1) {
                throw new IOException("first");
            }
            return "attempt " + attempt;
        }
    }
}
