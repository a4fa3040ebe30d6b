/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.outage;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The outage of a partner: three nodes on one PostgreSQL server store calls of two lanes all the time. The partner of the lane
 * {@code mail} is down at first, that of {@code orders} works. At the end, each stored call must have run or be a dead letter.
 */
public final class Outage implements AutoCloseable {

    private static final int NODES = 3;

    /** Calls that all nodes store in a second, in each lane. */
    private static final int STORED_PER_SECOND = 100;

    /** Attempts of mail that each node may start in a second. */
    private static final int MAX_PER_SECOND = 100;

    private static final int THREADS = 4;

    /** The lost time that a rate makes up for, in seconds. */
    private static final double CATCH_UP = 0.25;

    private static final int WINDOW_SECONDS = 10;

    private static final double MOST_LAG_SECONDS = 2;

    private static final Duration PATIENCE = Duration.ofMinutes(30);

    private static final Pattern ORDER = Pattern.compile("(?:mail|orders)-(?:refused-)?[0-9a-f-]{36}");

    private final PrintStream out;

    private final int kills;

    private final Random random = new Random();

    private final EmbeddedPostgres server;

    private final JdbcClient jdbc;

    private final OutagePartner partner;

    private final List<String> properties;

    private final List<OutageProcess> nodes = new ArrayList<>();

    private final ScheduledExecutorService sampler = Executors.newSingleThreadScheduledExecutor();

    private long startedAt;

    private int taken;

    private volatile Map<String, Backlog> backlog = Map.of();

    private volatile Map<String, Backlog> highest = Map.of();

    private Outage(int kills, @Nullable Integer maxWaiting, PrintStream out) throws IOException {
        ((Logger) LoggerFactory.getLogger(EmbeddedPostgres.class.getPackageName())).setLevel(Level.WARN);
        this.out = out;
        this.kills = kills;
        this.server = EmbeddedPostgres.builder().start();
        this.jdbc = JdbcClient.create(server.getPostgresDatabase());
        this.partner = new OutagePartner();
        this.properties = new ArrayList<>(List.of(
                String.valueOf(NODES * 1000 / STORED_PER_SECOND),
                kills > 0 ? OutageNode.KEYS : "",
                "--partner=" + partner.url(),
                "--spring.datasource.url=" + server.getJdbcUrl("postgres", "postgres"),
                "--logging.level.root=error",
                "--retryon.jdbc.initialize-schema=always",
                "--retryon.durable.threads=1",
                "--retryon.durable.lanes.orders.threads=" + THREADS,
                "--retryon.durable.lanes.mail.threads=" + THREADS,
                "--retryon.durable.lanes.mail.max-per-second=" + MAX_PER_SECOND,
                "--retryon.durable.lanes.mail.probe=true"));
        if (maxWaiting != null) {
            properties.add("--retryon.durable.lanes.mail.max-waiting=" + maxWaiting);
        }
        if (kills > 0) {
            // The lease of a killed node expires after four of them.
            properties.add("--retryon.durable.heartbeat-interval=1s");
        }
    }

    /** The calls of a lane that wait: their number, and the time since the first of them was due. */
    private record Backlog(long waiting, double lagSeconds) {

        private static final Backlog NONE = new Backlog(0, 0);

        Backlog max(Backlog other) {
            return new Backlog(Math.max(waiting, other.waiting), Math.max(lagSeconds, other.lagSeconds));
        }
    }

    /**
     * Runs it.
     *
     * @param seconds how long the partner is down
     * @param kills how many times a node is killed, half of them during the outage
     * @param maxWaiting the limit on waiting calls of mail; {@code null} for none
     * @param out takes the report
     * @return the exit code: zero if everything added up
     * @throws IOException if a process can't be started or ends by itself
     * @throws InterruptedException if the wait for it is interrupted
     */
    public static int run(int seconds, int kills, @Nullable Integer maxWaiting, PrintStream out)
            throws IOException, InterruptedException {
        try (Outage outage = new Outage(kills, maxWaiting, out)) {
            List<String> violations = outage.run(seconds);
            violations.forEach(violation -> out.println("VIOLATED: " + violation));
            return violations.isEmpty() ? 0 : 1;
        }
    }

    private List<String> run(int seconds) throws IOException, InterruptedException {
        jdbc.sql("create table outage_order (id varchar(60) not null, lane varchar(10) not null)")
                .update();
        jdbc.sql("create table outage_rejected (lane varchar(10) not null)").update();
        for (int i = 0; i < NODES; i++) {
            nodes.add(OutageProcess.start(properties));
        }
        startedAt = System.nanoTime();
        for (OutageProcess node : nodes) {
            node.tell(OutageNode.START);
        }
        say("three nodes store calls, the partner of mail is down");
        ScheduledFuture<?> samples = sampler.scheduleWithFixedDelay(this::sample, 1, 1, TimeUnit.SECONDS);
        kill(1, kills / 2, seconds);
        TimeUnit.NANOSECONDS.sleep(TimeUnit.SECONDS.toNanos(seconds) - (System.nanoTime() - startedAt));
        partner.recover();
        say("the partner of mail works again");
        kill(kills / 2 + 1, kills, seconds);
        await(() -> !samples.isDone() && backlog("mail").lagSeconds() < 1);
        int emptyAfter = partner.secondsAfterwards();
        say("mail has no backlog any more");
        for (OutageProcess node : nodes) {
            node.tell(OutageNode.STOP);
        }
        double storedFor = (System.nanoTime() - startedAt) / 1e9;
        await(() -> count("select count(*) from retryon_call") == 0);
        return report(emptyAfter, storedFor);
    }

    private void say(String sentence) {
        out.printf(Locale.ROOT, "%5d s  %s%n", seconds(), sentence);
    }

    private long seconds() {
        return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startedAt);
    }

    /** Kills nodes at random moments and starts others instead. Mail is paused for all nodes during half of the kills. */
    private void kill(int first, int last, int seconds) throws IOException, InterruptedException {
        for (int kill = first; kill <= last; kill++) {
            TimeUnit.MILLISECONDS.sleep(random.nextInt(2 * 1000 * seconds / (last - first + 1)));
            int victim = random.nextInt(NODES);
            OutageProcess other = nodes.get((victim + 1) % NODES);
            if (kill % 4 == 1) {
                other.tell(OutageNode.PAUSE);
            }
            say("kill " + kill + ": node " + (victim + 1));
            nodes.get(victim).close();
            nodes.set(victim, OutageProcess.start(properties));
            nodes.get(victim).tell(OutageNode.START);
            if (kill % 4 == 2 || kill == last) {
                other.tell(OutageNode.RESUME);
            }
        }
    }

    private void sample() {
        Map<String, Backlog> now = new HashMap<>();
        // As the meters retryon.durable.waiting and retryon.durable.lag.
        jdbc.sql("select lane, count(*), greatest(0, extract(epoch from now() - min(execution_time)))"
                        + " from retryon_call where not picked group by lane")
                .query(row -> {
                    now.put(row.getString(1), new Backlog(row.getLong(2), row.getDouble(3)));
                });
        Map<String, Backlog> most = new HashMap<>(highest);
        now.forEach((lane, waiting) -> most.merge(lane, waiting, Backlog::max));
        highest = most;
        backlog = now;
        if (++taken % 10 == 0) {
            say(String.format(Locale.ROOT, "mail: %s   orders: %s", text("mail"), text("orders")));
        }
    }

    private Backlog backlog(String lane) {
        return backlog.getOrDefault(lane, Backlog.NONE);
    }

    private String text(String lane) {
        Backlog now = backlog(lane);
        return String.format(Locale.ROOT, "%,7d waiting, lag %6.2f s", now.waiting(), now.lagSeconds());
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("the calls were not run within " + PATIENCE);
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    private long count(String statement) {
        return jdbc.sql(statement).query(Long.class).single();
    }

    private List<String> report(int emptyAfter, double storedFor) {
        List<String> orders =
                jdbc.sql("select id from outage_order").query(String.class).list();
        Set<String> stored = new HashSet<>(orders);
        Set<String> run = partner.run();
        Set<String> dead = new HashSet<>();
        for (String arguments : jdbc.sql("select arguments from retryon_dead_letter")
                .query(String.class)
                .list()) {
            Matcher order = ORDER.matcher(arguments);
            dead.add(order.find() ? order.group() : arguments);
        }
        long refused = stored.stream()
                .filter(order -> order.contains(OutagePartner.REFUSED))
                .count();
        Set<String> lost = new HashSet<>(stored);
        lost.removeAll(run);
        lost.removeAll(dead);
        List<String> twice = partner.runTwice();
        long keys =
                twice.stream().filter(order -> order.contains(OutageNode.KEY)).count();
        long[] delays = partner.delays();
        double slowest = delays[delays.length - 1] / 1e3;
        int fastest = 0;
        for (int second = 0; second + WINDOW_SECONDS <= emptyAfter; second++) {
            fastest = Math.max(fastest, partner.afterwards(second, second + WINDOW_SECONDS));
        }
        int allowed = (int) (NODES * (MAX_PER_SECOND * (WINDOW_SECONDS + CATCH_UP) + 1 + THREADS));

        line("stored", String.format(Locale.ROOT, "%d, %.0f a second", stored.size(), stored.size() / storedFor));
        line("duplicates", orders.size() - stored.size() + ", calls with the key of a waiting one");
        line("rejected", count("select count(*) from outage_rejected"));
        line("run", run.size());
        line("dead letters", dead.size() + ", " + refused + " orders were refused by their partner");
        line("lost", lost.size());
        line("run twice", twice.size() + ", " + keys + " of them with a key");
        line(
                "orders",
                String.format(
                        Locale.ROOT,
                        "highest lag %.2f s; from storing to the first attempt p99 %.2f s, at most %.2f s",
                        highest.getOrDefault("orders", Backlog.NONE).lagSeconds(),
                        delays[(int) (delays.length * 0.99)] / 1e3,
                        slowest));
        line(
                "mail",
                String.format(
                        Locale.ROOT,
                        "at most %,d waiting; %,d attempts during the outage; no backlog %d s after it",
                        highest.getOrDefault("mail", Backlog.NONE).waiting(),
                        partner.triedInOutage(),
                        emptyAfter));
        line(
                "mail afterwards",
                String.format(
                        Locale.ROOT,
                        "%.0f attempts a second, at most %d in %d seconds; %d nodes may start %d a second",
                        partner.afterwards(0, emptyAfter) / (double) Math.max(1, emptyAfter),
                        fastest,
                        WINDOW_SECONDS,
                        NODES,
                        NODES * MAX_PER_SECOND));

        List<String> violations = new ArrayList<>();
        check(violations, lost.isEmpty(), "stored = run + dead letters; lost: " + lost);
        check(violations, stored.containsAll(run) && stored.containsAll(dead), "only what was stored is run");
        check(violations, Collections.disjoint(run, dead), "no call that has run is a dead letter");
        check(violations, dead.size() == refused, "dead letters = refused");
        check(violations, dead.size() == count("select count(*) from retryon_dead_letter"), "a dead letter each");
        check(violations, twice.size() <= (long) kills * 2 * THREADS, "a call runs again only if its node was killed");
        check(violations, fastest <= allowed, "at most " + allowed + " attempts of mail in " + WINDOW_SECONDS + " s");
        check(violations, kills > 0 || slowest < MOST_LAG_SECONDS, "orders wait less than " + MOST_LAG_SECONDS + " s");
        return violations;
    }

    private void line(String what, Object value) {
        out.printf(Locale.ROOT, "%-16s %s%n", what, value);
    }

    private static void check(List<String> violations, boolean isFulfilled, String rule) {
        if (!isFulfilled) {
            violations.add(rule);
        }
    }

    @Override
    public void close() throws IOException {
        sampler.shutdownNow();
        for (OutageProcess node : nodes) {
            node.close();
        }
        partner.close();
        server.close();
    }
}
