// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.outage;

import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.retryon.endurance.Endurance;
import dev.retryon.endurance.outage.OutageResult.Backlog;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The outage of a partner: three nodes on one PostgreSQL server store calls of two lanes all the time. The partner of the lane
 * {@code mail} is down at first, that of {@code orders} works.
 */
final class Outage implements AutoCloseable {

    static final int NODES = 3;

    /** Calls that all nodes store in a second, in each lane. */
    static final int STORED_PER_SECOND = 100;

    /** Attempts of mail that each node may start in a second. */
    static final int MAX_PER_SECOND = 100;

    /** The threads of each node in each lane. */
    static final int THREADS = 4;

    private static final int WINDOW_SECONDS = 10;

    /** The delays of the first calls show how cold the JVMs are. */
    private static final Duration WARM_UP = Duration.ofSeconds(3);

    private static final Duration PATIENCE = Duration.ofMinutes(30);

    private static final Pattern ORDER = Pattern.compile("(?:mail|orders)-(?:refused-)?[0-9a-f-]{36}");

    private final int seconds;

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

    /**
     * Starts the server.
     *
     * @param seconds how long the partner is down
     * @param kills how many times a node is killed, half of them during the outage
     * @param more further properties of the nodes
     */
    Outage(int seconds, int kills, String... more) throws IOException {
        ((Logger) LoggerFactory.getLogger(EmbeddedPostgres.class.getPackageName())).setLevel(Level.WARN);
        this.seconds = seconds;
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
        properties.addAll(List.of(more));
    }

    OutageResult run() throws IOException {
        jdbc.sql("create table outage_order (id varchar(60) not null, lane varchar(10) not null)")
                .update();
        jdbc.sql("create table outage_rejected (lane varchar(10) not null)").update();
        for (int i = 0; i < NODES; i++) {
            nodes.add(OutageProcess.start(properties));
        }
        for (OutageProcess node : nodes) {
            node.begin();
        }
        startedAt = System.nanoTime();
        partner.measureDelaysAfter(WARM_UP);
        say("three nodes store calls, the partner of mail is down");
        ScheduledFuture<?> samples = sampler.scheduleWithFixedDelay(this::sample, 1, 1, TimeUnit.SECONDS);
        kill(1, kills / 2);
        Endurance.pass(Duration.ofSeconds(seconds).minusNanos(System.nanoTime() - startedAt));
        partner.recover();
        say("the partner of mail works again");
        kill(kills / 2 + 1, kills);
        until(() -> !samples.isDone() && backlog("mail").lagSeconds() < 1);
        int emptyAfter = partner.secondsAfterwards();
        say("mail has no backlog any more");
        for (OutageProcess node : nodes) {
            node.send(OutageNode.STOP);
        }
        double storedFor = (System.nanoTime() - startedAt) / 1e9;
        until(() -> count("retryon_call where state = 'WAITING'") == 0);
        return result(emptyAfter, storedFor);
    }

    @SuppressWarnings("SystemOut") // the progress of a long test
    private void say(String sentence) {
        long now = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startedAt);
        System.out.printf(Locale.ROOT, "%5d s  %s%n", now, sentence);
    }

    /** Kills nodes at random moments and starts others instead. Mail is paused for all nodes during half of the kills. */
    private void kill(int first, int last) throws IOException {
        for (int kill = first; kill <= last; kill++) {
            Endurance.pass(Duration.ofMillis(random.nextInt(2 * 1000 * seconds / (last - first + 1))));
            int victim = random.nextInt(NODES);
            OutageProcess other = nodes.get((victim + 1) % NODES);
            if (kill % 4 == 1) {
                other.send(OutageNode.PAUSE);
            }
            say("kill " + kill + ": node " + (victim + 1));
            nodes.get(victim).close();
            nodes.set(victim, OutageProcess.start(properties));
            nodes.get(victim).begin();
            if (kill % 4 == 2 || kill == last) {
                other.send(OutageNode.RESUME);
            }
        }
    }

    private void sample() {
        Map<String, Backlog> now = new HashMap<>();
        // As the meters retryon.durable.waiting and retryon.durable.lag.
        jdbc.sql("select lane, count(*), greatest(0, extract(epoch from now() - min(execution_time)))"
                        + " from retryon_call where state = 'WAITING' and not picked group by lane")
                .query(row -> {
                    now.put(row.getString(1), new Backlog(row.getLong(2), row.getDouble(3)));
                });
        Map<String, Backlog> most = new HashMap<>(highest);
        now.forEach((lane, waiting) -> most.merge(lane, waiting, Backlog::max));
        highest = most;
        backlog = now;
        if (++taken % 10 == 0) {
            say("mail: " + backlog("mail") + "   orders: " + backlog("orders"));
        }
    }

    private Backlog backlog(String lane) {
        return backlog.getOrDefault(lane, Backlog.NONE);
    }

    private static void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(200)).until(condition);
    }

    private long count(String table) {
        return jdbc.sql("select count(*) from " + table).query(Long.class).single();
    }

    private OutageResult result(int emptyAfter, double storedFor) {
        List<String> orders =
                jdbc.sql("select id from outage_order").query(String.class).list();
        Set<String> stored = new HashSet<>(orders);
        List<String> dead =
                jdbc
                        .sql("select arguments from retryon_call where died_at is not null")
                        .query(String.class)
                        .list()
                        .stream()
                        .map(Outage::orderIn)
                        .toList();
        int window = Math.min(WINDOW_SECONDS, emptyAfter);
        int fastest = 0;
        for (int second = 0; second + window <= emptyAfter; second++) {
            fastest = Math.max(fastest, partner.afterwards(second, second + window));
        }
        return new OutageResult(
                stored,
                storedFor,
                orders.size() - stored.size(),
                count("outage_rejected"),
                partner.run(),
                partner.runTwice(),
                dead,
                highest.getOrDefault("orders", Backlog.NONE),
                partner.delays(),
                highest.getOrDefault("mail", Backlog.NONE),
                partner.triedInOutage(),
                emptyAfter,
                partner.afterwards(0, emptyAfter),
                window,
                fastest);
    }

    private static String orderIn(String arguments) {
        Matcher order = ORDER.matcher(arguments);
        return order.find() ? order.group() : arguments;
    }

    @Override
    public void close() throws IOException {
        sampler.shutdownNow();
        nodes.forEach(OutageProcess::close);
        partner.close();
        server.close();
    }
}
