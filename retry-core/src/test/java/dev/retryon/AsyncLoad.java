package dev.retryon;

import dev.retryon.backoff.Jitter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** Many asynchronous calls in flight together, in real time: how long they take, what they hold, which threads there are. */
final class AsyncLoad {

    private static final Exception FAILURE = new Exception("not yet", null, true, false) {};

    private AsyncLoad() {}

    /** What a run took. */
    record Figures(int calls, long wallMillis, long bytesPerWaitingCall, int threads, int executorThreads) {}

    /** Calls that fail twice each, with a delay before either retry; threads are those that came in addition. */
    static Figures run(int calls, Duration delay) {
        int threadsBefore = Thread.activeCount();
        AtomicInteger executorThreads = new AtomicInteger();
        ExecutorService executor = Executors.newFixedThreadPool(2, task -> {
            executorThreads.incrementAndGet();
            Thread thread = new Thread(task, "attempts");
            thread.setDaemon(true);
            return thread;
        });
        try (RetryEngine engine = RetryEngine.builder().executor(executor).build()) {
            Retry retry = Retry.builder(
                            "load",
                            RetryPolicy.builder()
                                    .retryOn(Exception.class)
                                    .delay(delay)
                                    .backoff("fixed")
                                    .jitter(Jitter.none())
                                    .build())
                    .engine(engine)
                    .build();
            CompletableFuture<?>[] called = new CompletableFuture<?>[calls];
            long before = used();
            long start = System.nanoTime();
            for (int i = 0; i < calls; i++) {
                called[i] = retry.callAsync(AsyncLoad::attempt);
            }
            long held = retry.waiting() == calls ? used() - before : 0;
            CompletableFuture.allOf(called).join();
            long wall = (System.nanoTime() - start) / 1_000_000;
            int threads = Thread.activeCount() - threadsBefore;
            return new Figures(calls, wall, held / calls, threads, executorThreads.get());
        } finally {
            executor.shutdown();
        }
    }

    private static CompletableFuture<String> attempt() {
        return RetryContext.current().attempt() < 3
                ? CompletableFuture.failedFuture(FAILURE)
                : CompletableFuture.completedFuture("value");
    }

    private static long used() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    public static void main(String[] args) {
        for (int round = 0; round < 3; round++) {
            System.out.println(run(100_000, Duration.ofSeconds(1)));
        }
        System.out.println(run(1_000_000, Duration.ofSeconds(5)));
    }
}
