// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.outage;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;

/** The HTTP server that all nodes call for both lanes. It counts the attempts of each order. Thread-safe. */
final class OutagePartner implements AutoCloseable {

    /** Part of the orders that the partner always refuses. */
    static final String REFUSED = "refused";

    private static final int THREADS = 8;

    private static final int MOST_SECONDS = 24 * 60 * 60;

    private final HttpServer server;

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

    /** How often each order has succeeded; zero if it has only been tried. */
    private final Map<String, Integer> successes = new ConcurrentHashMap<>();

    /** The time from storing a call until its first attempt arrives, of the lane whose partner works, in milliseconds. */
    private final Map<String, Long> delays = new ConcurrentHashMap<>();

    private final LongAdder triedInOutage = new LongAdder();

    /** The attempts of mail in each second since the partner works again. */
    private final AtomicIntegerArray afterwards = new AtomicIntegerArray(MOST_SECONDS);

    private volatile long recoveredAt;

    private volatile long measuredFrom = Long.MAX_VALUE;

    OutagePartner() throws IOException {
        // Otherwise each answer waits 40 ms for a confirmation of its header.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/mail", exchange -> answer(exchange, mailStatus(order(exchange))));
        server.createContext("/orders", exchange -> {
            String order = order(exchange);
            long stored = Long.parseLong(parameter(exchange, "stored"));
            if (stored >= measuredFrom) {
                delays.putIfAbsent(order, System.currentTimeMillis() - stored);
            }
            answer(exchange, order.contains(REFUSED) ? 422 : 200);
        });
        server.setExecutor(threads);
        server.start();
    }

    String url() {
        return "http://localhost:" + server.getAddress().getPort();
    }

    /** Ignores the delays of calls that are stored within a time from now. */
    void measureDelaysAfter(Duration time) {
        measuredFrom = System.currentTimeMillis() + time.toMillis();
    }

    /** The partner of mail works from now on. */
    void recover() {
        recoveredAt = System.nanoTime();
    }

    private int mailStatus(String order) {
        long since = recoveredAt;
        if (since == 0) {
            triedInOutage.increment();
            return 503;
        }
        afterwards.incrementAndGet((int) TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - since));
        return order.contains(REFUSED) ? 422 : 200;
    }

    private void answer(HttpExchange exchange, int status) throws IOException {
        successes.merge(order(exchange), status == 200 ? 1 : 0, Integer::sum);
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    private static String order(HttpExchange exchange) {
        return parameter(exchange, "order");
    }

    private static String parameter(HttpExchange exchange, String name) {
        return Arrays.stream(exchange.getRequestURI().getQuery().split("&", -1))
                .filter(part -> part.startsWith(name + "="))
                .map(part -> part.substring(name.length() + 1))
                .findFirst()
                .orElseThrow();
    }

    /** The orders that have succeeded. */
    Set<String> run() {
        Set<String> run = new HashSet<>();
        successes.forEach((order, times) -> {
            if (times > 0) {
                run.add(order);
            }
        });
        return run;
    }

    /** The orders that have succeeded more than once. */
    List<String> runTwice() {
        return successes.entrySet().stream()
                .filter(order -> order.getValue() > 1)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Attempts of mail during the outage. */
    long triedInOutage() {
        return triedInOutage.sum();
    }

    /** The attempts of mail from one second since its partner works again until another one. */
    int afterwards(int from, int until) {
        int sum = 0;
        for (int second = from; second < until; second++) {
            sum += afterwards.get(second);
        }
        return sum;
    }

    /** Seconds since the partner of mail works again. */
    int secondsAfterwards() {
        return (int) TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - recoveredAt);
    }

    /** The delays of the lane whose partner works, in milliseconds and in ascending order. */
    long[] delays() {
        return delays.values().stream().mapToLong(Long::longValue).sorted().toArray();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
