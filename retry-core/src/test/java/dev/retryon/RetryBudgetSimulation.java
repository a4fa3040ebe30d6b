// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.backoff.Jitter;
import dev.retryon.budget.RetryBudget;
import dev.retryon.test.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * What a server is sent while it is down, with and without a {@link RetryBudget}, in virtual time: the real calls, with a
 * model of clients and server around them. {@code main} writes {@code retry-budget.csv} and {@code retry-budget.svg} into
 * the folder that it is given.
 *
 * <p>10 000 clients call once in eight seconds each. They are spread over five instances of an application; each has one
 * budget with the default settings. The server serves up to 1 750 requests a second and refuses those above; from second
 * 20 to second 80 it fails them all.
 */
final class RetryBudgetSimulation {

    static final int INSTANCES = 5;

    private static final int CLIENTS_PER_INSTANCE = 2_000;

    static final int SECONDS = 120;

    static final int OUTAGE_FROM = 20;

    static final int OUTAGE_TO = 80;

    private static final int CAPACITY_PER_INSTANCE = 350;

    private static final Duration BETWEEN_CALLS = Duration.ofSeconds(8);

    private static final Duration TICK = Duration.ofMillis(100);

    private final VirtualTime time = new VirtualTime();

    private final SplittableRandom random = new SplittableRandom(20260101);

    private final List<Retry> retries = new ArrayList<>();

    private final int[] requests = new int[SECONDS];

    private final int[] failedCalls = new int[SECONDS];

    private final Exception refusal = new Exception(null, null, false, false) {};

    private long tick = -1;

    private int inTick;

    private final int capacity;

    private RetryBudgetSimulation(boolean budgets, int instances) {
        this.capacity = CAPACITY_PER_INSTANCE * instances;
        RetryEngine engine = RetryEngine.builder()
                .time(time)
                .random(random)
                .executor(Runnable::run)
                .build();
        for (int i = 0; i < instances; i++) {
            RetryPolicyBuilder policy = RetryPolicy.builder()
                    .retryOn(Exception.class)
                    .maxAttempts(4)
                    .delay(Duration.ofMillis(200))
                    .jitter(Jitter.proportional(0.5));
            if (budgets) {
                policy.budget(RetryBudget.builder().ticker(time::nanoTime).build());
            }
            retries.add(Retry.builder("server", policy.build()).engine(engine).build());
        }
    }

    /** Requests to the server, and calls that failed permanently, in each second. */
    record Load(int[] requests, int[] failedCalls) {

        /** The mean number of requests a second between two seconds. */
        double mean(int from, int to) {
            long sum = 0;
            for (int second = from; second < to; second++) {
                sum += requests[second];
            }
            return (double) sum / (to - from);
        }

        int most(int from, int to) {
            return Arrays.stream(requests, from, to).max().orElse(0);
        }

        int failed(int from, int to) {
            int sum = 0;
            for (int second = from; second < to; second++) {
                sum += failedCalls[second];
            }
            return sum;
        }

        /** The first second after the outage from which on no call fails. */
        int recovered() {
            int second = SECONDS;
            while (second > 0 && failedCalls[second - 1] == 0) {
                second--;
            }
            return second;
        }
    }

    /** Fewer instances than {@link #INSTANCES} have a server that is smaller by as much. */
    static Load run(boolean budgets, int instances) {
        RetryBudgetSimulation simulation = new RetryBudgetSimulation(budgets, instances);
        for (int client = 0; client < CLIENTS_PER_INSTANCE * instances; client++) {
            int instance = client % instances;
            Duration first = Duration.ofNanos(simulation.random.nextLong(1, BETWEEN_CALLS.toNanos()));
            simulation.time.schedule(() -> simulation.call(instance), first);
        }
        simulation.time.advance(Duration.ofSeconds(SECONDS));
        return new Load(simulation.requests, simulation.failedCalls);
    }

    static double callsPerSecond(int instances) {
        return (double) CLIENTS_PER_INSTANCE * instances / BETWEEN_CALLS.toSeconds();
    }

    private void call(int instance) {
        time.schedule(() -> call(instance), BETWEEN_CALLS);
        CompletableFuture<String> called = retries.get(instance).callAsync(this::serve);
        called.whenComplete((value, error) -> {
            if (error != null && second() < SECONDS) {
                failedCalls[second()]++;
            }
        });
    }

    private int second() {
        return (int) (time.nanoTime() / 1_000_000_000L);
    }

    private CompletableFuture<String> serve() {
        int second = second();
        if (second < SECONDS) {
            requests[second]++;
        }
        long now = time.nanoTime() / TICK.toNanos();
        inTick = now == tick ? inTick + 1 : 1;
        tick = now;
        boolean down = second >= OUTAGE_FROM && second < OUTAGE_TO;
        boolean over = inTick > capacity / 10; // ticks in a second
        return down || over ? CompletableFuture.failedFuture(refusal) : CompletableFuture.completedFuture("served");
    }

    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args.length > 0 ? args[0] : "docs");
        Load without = run(false, INSTANCES);
        Load with = run(true, INSTANCES);
        StringBuilder csv = new StringBuilder(
                "second,requests_without_budget,requests_with_budget,failed_calls_without_budget,failed_calls_with_budget\n");
        for (int second = 0; second < SECONDS; second++) {
            csv.append(second)
                    .append(',')
                    .append(without.requests[second])
                    .append(',')
                    .append(with.requests[second])
                    .append(',')
                    .append(without.failedCalls[second])
                    .append(',')
                    .append(with.failedCalls[second])
                    .append('\n');
        }
        Files.writeString(folder.resolve("retry-budget.csv"), csv);
        Files.writeString(folder.resolve("retry-budget.svg"), plot(without, with));
        tell("without a budget", without);
        tell("with a budget", with);
    }

    private static void tell(String what, Load load) {
        System.out.printf(
                Locale.ROOT,
                "%s: %.0f requests/s during the outage (%.2f of normal), all well from second %d, failed after it: %d%n",
                what,
                load.mean(OUTAGE_FROM + 5, OUTAGE_TO), // the first seconds have the tokens of the time before
                load.mean(OUTAGE_FROM + 5, OUTAGE_TO) / callsPerSecond(INSTANCES),
                load.recovered(),
                load.failed(OUTAGE_TO, SECONDS));
    }

    private static String plot(Load without, Load with) {
        int width = 720;
        int height = 320;
        int left = 60;
        int bottom = 50;
        int top = 40;
        double perSecond = (width - left - 20.0) / SECONDS;
        double perRequest = (height - top - bottom) / 6_000.0;
        StringBuilder svg = new StringBuilder();
        svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + width + " " + height
                + "\" font-family=\"sans-serif\" font-size=\"12\">\n");
        svg.append("<title>Requests a second to a server that is down for a minute</title>\n");
        svg.append("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
        svg.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"#f3f4f6\"/>%n",
                left + OUTAGE_FROM * perSecond,
                top,
                (OUTAGE_TO - OUTAGE_FROM) * perSecond,
                height - top - bottom));
        for (int load = 0; load <= 6_000; load += 1_000) {
            double y = height - bottom - load * perRequest;
            svg.append(String.format(
                    Locale.ROOT,
                    "<path d=\"M%d %.1fH%d\" stroke=\"#d1d5db\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\""
                            + " fill=\"#374151\">%d</text>%n",
                    left,
                    y,
                    width - 20,
                    left - 8,
                    y + 4,
                    load));
        }
        for (int second = 0; second <= SECONDS; second += 20) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"#374151\">%d s</text>%n",
                    left + second * perSecond,
                    height - bottom + 18,
                    second));
        }
        svg.append(line(without.requests, left, height - bottom, perSecond, perRequest, "#b91c1c"));
        svg.append(line(with.requests, left, height - bottom, perSecond, perRequest, "#1d4ed8"));
        svg.append("<text x=\"" + left
                + "\" y=\"20\" fill=\"#111827\">Requests a second to a server that is down from 20 s"
                + " to 80 s (1 250 calls a second)</text>\n");
        svg.append("<text x=\"" + left + "\" y=\"" + (height - 8)
                + "\" fill=\"#b91c1c\">without a budget: up to 3 retries a call</text>\n");
        svg.append("<text x=\"" + (left + 280) + "\" y=\"" + (height - 8)
                + "\" fill=\"#1d4ed8\">with a budget: 20 % of the calls, and 10 a second</text>\n");
        return svg.append("</svg>\n").toString().replace("\r\n", "\n");
    }

    private static String line(int[] loads, int x, int y, double perSecond, double perRequest, String colour) {
        StringBuilder path = new StringBuilder();
        for (int second = 0; second < loads.length; second++) {
            path.append(String.format(
                    Locale.ROOT,
                    "%s%.1f %.1f",
                    second == 0 ? "M" : "L",
                    x + (second + 0.5) * perSecond,
                    y - loads[second] * perRequest));
        }
        return "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"2\"/>\n";
    }
}
