// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.outage;

import static dev.retryon.durable.DurableMode.OUTBOX;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.ChangesForAllNodes;
import dev.retryon.spring.module.RuntimeChange;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A node: stores calls of both lanes at a rate, and runs them. Obeys the lines of its standard input, and ends with it. */
final class OutageNode {

    static final String READY = "ready";

    static final String START = "start";

    static final String STOP = "stop";

    static final String PAUSE = "pause";

    static final String RESUME = "resume";

    static final String KEYS = "keys";

    /** Part of the orders that have a key. */
    static final String KEY = new UUID(0, 0).toString().substring(0, 19);

    private static final Logger LOG = LoggerFactory.getLogger(OutageNode.class);

    /** One of so many orders is always refused by its partner, beginning with {@link #FIRST_REFUSED}. */
    private static final int REFUSED_EACH = 999;

    private static final int FIRST_REFUSED = 100;

    /** One of so many keys, because there are fewer of them. */
    private static final int REFUSED_KEY = 99;

    /** How long all nodes store calls with the same key, in milliseconds. */
    private static final int KEY_MILLIS = 100;

    private final JdbcClient jdbc;

    private final TransactionTemplate transactions;

    private final AtomicInteger stored = new AtomicInteger();

    private OutageNode(ConfigurableApplicationContext context) {
        this.jdbc = context.getBean(JdbcClient.class);
        this.transactions = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    /** The application. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        Partners partners(@Value("${partner}") String url) {
            return new Partners(url);
        }
    }

    /** The durable methods, a lane each. */
    static class Partners {

        private static final int TIMEOUT_MILLIS = 10_000;

        private final String url;

        Partners(String url) {
            this.url = url;
        }

        @RetryOn(exceptions = IOException.class, maxAttempts = 1000, delay = "1s", maxDelay = "10s")
        @Durable(value = OUTBOX, lane = "mail")
        public void mail(String order, long storedAt) throws IOException {
            send("mail", order, storedAt);
        }

        /** Starts after all nodes have stored their calls with the key. */
        @RetryOn(exceptions = IOException.class, maxAttempts = 1000, delay = "1s", maxDelay = "10s")
        @Durable(value = OUTBOX, lane = "mail", uniqueKey = "#order", initialDelay = "5s")
        public void mailOnce(String order, long storedAt) throws IOException {
            send("mail", order, storedAt);
        }

        @RetryOn(exceptions = IOException.class, maxAttempts = 1000, delay = "1s")
        @Durable(value = OUTBOX, lane = "orders")
        public void order(String order, long storedAt) throws IOException {
            send("orders", order, storedAt);
        }

        private void send(String path, String order, long storedAt) throws IOException {
            HttpURLConnection connection =
                    (HttpURLConnection) URI.create(url + "/" + path + "?order=" + order + "&stored=" + storedAt)
                            .toURL()
                            .openConnection();
            connection.setConnectTimeout(TIMEOUT_MILLIS);
            connection.setReadTimeout(TIMEOUT_MILLIS);
            int status = connection.getResponseCode();
            if (status == 422) {
                throw new IllegalArgumentException(order + " is refused");
            }
            if (status != 200) {
                throw new IOException("status " + status);
            }
        }
    }

    /** A durable method of {@link Partners}. */
    @FunctionalInterface
    private interface Call {

        void run(String order, long storedAt) throws IOException;
    }

    /**
     * Starts a node.
     *
     * @param arguments milliseconds between two calls of a lane, {@link #KEYS} if half of the calls of mail have a key, and
     *     properties
     */
    @SuppressWarnings("SystemOut") // read by the parent
    public static void main(String[] arguments) throws IOException, InterruptedException {
        PrintStream answers = System.out;
        System.setOut(System.err);
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .run(arguments)) {
            ScheduledExecutorService callers = Executors.newScheduledThreadPool(2);
            try {
                OutageNode node = new OutageNode(context);
                long millis = Long.parseLong(arguments[0]);
                boolean keys = arguments[1].equals(KEYS);
                Runnable start = () -> node.store(context.getBean(Partners.class), callers, millis, keys);
                answers.println(READY);
                obey(context.getBean(ChangesForAllNodes.class), start, callers, answers);
            } finally {
                callers.shutdownNow();
            }
        }
    }

    private void store(Partners partners, ScheduledExecutorService callers, long millis, boolean keys) {
        Runnable mail = () -> {
            if (keys && ThreadLocalRandom.current().nextBoolean()) {
                long key = System.currentTimeMillis() / KEY_MILLIS;
                store("mail", order("mail", key % REFUSED_KEY == 0, new UUID(0, key)), partners::mailOnce);
            } else {
                store("mail", partners::mail);
            }
        };
        Runnable order = () -> store("orders", partners::order);
        var unused = callers.scheduleAtFixedRate(mail, millis, millis, TimeUnit.MILLISECONDS);
        unused = callers.scheduleAtFixedRate(order, millis, millis, TimeUnit.MILLISECONDS);
    }

    private void store(String lane, Call call) {
        store(lane, order(lane, stored.incrementAndGet() % REFUSED_EACH == FIRST_REFUSED, UUID.randomUUID()), call);
    }

    private static String order(String lane, boolean refused, UUID id) {
        return lane + "-" + (refused ? OutagePartner.REFUSED + "-" : "") + id;
    }

    /** The row of an order and its call are stored in one transaction: there are both, or neither. */
    private void store(String lane, String order, Call call) {
        try {
            transactions.executeWithoutResult(status -> {
                jdbc.sql("insert into outage_order (id, lane) values (?, ?)")
                        .params(order, lane)
                        .update();
                try {
                    call.run(order, System.currentTimeMillis());
                } catch (IOException ex) {
                    throw new IllegalStateException("an outbox makes no attempt on the caller's thread", ex);
                }
            });
        } catch (RejectedExecutionException ex) {
            jdbc.sql("insert into outage_rejected (lane) values (?)")
                    .param(lane)
                    .update();
        } catch (RuntimeException ex) {
            // The next call must be stored all the same.
            LOG.error("{} could not be stored", order, ex);
        }
    }

    private static void stop(ScheduledExecutorService callers) throws InterruptedException {
        callers.shutdown();
        if (!callers.awaitTermination(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("a call is still being stored");
        }
    }

    private static void obey(
            ChangesForAllNodes changes, Runnable start, ScheduledExecutorService callers, PrintStream answers)
            throws IOException, InterruptedException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            switch (line) {
                case START -> start.run();
                case STOP -> stop(callers);
                case PAUSE ->
                    changes.change(
                            RuntimeChange.Scope.SELECTED, "lanes/mail", Map.of("paused", "true"), null, "outage");
                case RESUME -> changes.takeBack(RuntimeChange.Scope.SELECTED, "lanes/mail", "outage");
                default -> throw new IllegalArgumentException(line);
            }
            answers.println(line);
        }
    }
}
