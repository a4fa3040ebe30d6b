// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.StoredCalls.Bulk;
import dev.retryon.durable.StoredCalls.Task;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.store.TestServer;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Callers in transactions store calls with and without keys, while workers of two nodes run them and operators change many. None
 * waits longer than the transactions of the others last. No caller gets an error, except that MariaDB and MySQL rarely end one of
 * several transactions that store calls with one key within the same milliseconds. {@code -Ddurability.seconds=300} sets the time.
 */
@Tag("database")
@Tag("endurance")
class LocksTests {

    private static final Duration TIME = Duration.ofSeconds(Integer.getInteger("durability.seconds", 5));

    private static final int CALLERS = 8;

    /** So few that callers meet, and calls with a key run and end all the time. */
    private static final int KEYS = 4;

    /** Most transactions take a few milliseconds. If nobody released a lock, the wait for it would take 50 seconds. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    /** In long runs, there are far fewer. */
    private static final int TRANSACTIONS_PER_DEADLOCK = 100;

    /** For work that began before the end. */
    private static final Duration REST = TIME.plus(Duration.ofMinutes(5));

    private final Set<String> accepted = ConcurrentHashMap.newKeySet();

    private final Set<String> done = ConcurrentHashMap.newKeySet();

    private final Map<Integer, Integer> seen = new ConcurrentHashMap<>();

    private final Queue<Throwable> errors = new ConcurrentLinkedQueue<>();

    private final AtomicLong longest = new AtomicLong();

    private final AtomicInteger transactions = new AtomicInteger();

    private final AtomicInteger bulkTasks = new AtomicInteger();

    private volatile boolean ends;

    /** Not of the applications: without a transaction. */
    private JdbcTemplate jdbc;

    @ParameterizedTest
    @EnumSource
    void noCallerWaitsOrFailsBecauseOfTheOthers(TestServer server) {
        String url = server.database();
        jdbc = new JdbcTemplate(new DriverManagerDataSource(url));
        jdbc.execute("create table entry (id varchar(50) primary key, item int)");
        jdbc.execute("create index entry_item on entry (item)");
        ApplicationContextRunner node = DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=" + url,
                        "spring.datasource.hikari.maximum-pool-size=20",
                        "retryon.jdbc.initialize-schema=always",
                        "retryon.durable.threads=3",
                        "retryon.durable.lanes.mail.threads=1")
                .withBean(Jobs.class, () -> new Jobs());
        node.run(here -> node.run(there -> {
            workFor(TIME, here, there);

            // Each look reads all waiting calls.
            await().pollInterval(Duration.ofMillis(200)).atMost(REST).until(() -> DurableTrial.stored(here) == 0);
            check(server, here);
        }));
    }

    private void workFor(Duration time, ApplicationContext here, ApplicationContext there) throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            int caller = i;
            ApplicationContext context = i % 2 == 0 ? here : there;
            threads.add(new Thread(() -> repeat(number -> call(context, caller + "-" + number))));
        }
        threads.add(new Thread(() -> repeat(number -> changeMany(here, number))));
        threads.add(new Thread(() -> repeat(number -> look(there))));
        threads.forEach(Thread::start);
        Thread.sleep(time.toMillis());
        ends = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private interface Work {

        void run(int number) throws Exception;
    }

    private void repeat(Work work) {
        for (int number = 0; !ends; number++) {
            try {
                work.run(number);
            } catch (Exception ex) {
                errors.add(ex);
            }
        }
    }

    private void call(ApplicationContext context, String id) {
        Jobs jobs = context.getBean(Jobs.class);
        JdbcTemplate ours = new JdbcTemplate(context.getBean(DataSource.class));
        int item = ThreadLocalRandom.current().nextInt(KEYS);
        long begin = System.nanoTime();
        boolean rolledBack = id.endsWith("7");
        TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        transaction.executeWithoutResult(status -> {
            ours.update("insert into entry (id, item) values (?, ?)", id, item);
            jobs.index(item);
            jobs.ship(id + "-a");
            LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(5_000_000));
            jobs.mail(id + "-b");
            if (rolledBack) {
                status.setRollbackOnly();
            }
        });
        longest.accumulateAndGet(System.nanoTime() - begin, Math::max);
        transactions.incrementAndGet();
        if (!rolledBack) {
            accepted.add(id + "-a");
            accepted.add(id + "-b");
        }
    }

    private void changeMany(ApplicationContext context, int number) {
        StoredCalls calls = context.getBean(StoredCalls.class);
        StoredCalls.Filter mail =
                new StoredCalls.Filter(Set.of(State.WAITING, State.RUNNING), null, null, "mail", null, null, null);
        Task task = switch (number % 3) {
            case 0 -> calls.runAllNow(mail, Bulk.confirmed(Bulk.MAX_PER_SECOND));
            case 1 -> calls.by("operator").giveUpAll(mail, "test", Bulk.confirmed(Bulk.MAX_PER_SECOND));
            default ->
                context.getBean(StoredCalls.class)
                        .resendAll(StoredCalls.Filter.ALL, Bulk.confirmed(Bulk.MAX_PER_SECOND));
        };
        await().atMost(REST).until(() -> ends || task.state() != Task.State.RUNNING);
        if (task.failure() != null) {
            errors.add(new IllegalStateException(task.failure()));
        }
        bulkTasks.incrementAndGet();
    }

    private static void look(ApplicationContext context) {
        context.getBean(CallEngine.class).backlog();
        context.getBean(CallStore.class).list(StoredCalls.Filter.of(State.WAITING, State.RUNNING), null, 50);
        context.getBean(StoredCalls.class).list(StoredCalls.Filter.ALL, null, 50);
        LockSupport.parkNanos(10_000_000);
    }

    private void check(TestServer server, ApplicationContext context) {
        Set<String> dead = ConcurrentHashMap.newKeySet();
        DurableTrial.deadLetters(context).stream()
                .map(DeadLetter::arguments)
                .map(arguments -> arguments.replaceAll(".*:\"|\"}", ""))
                .forEach(dead::add);
        System.out.printf(
                "%s: %d transactions in %d s, longest %d ms, %d bulk tasks, %d calls accepted, %d run, %d dead, errors: %s%n",
                server,
                transactions.get(),
                TIME.toSeconds(),
                Duration.ofNanos(longest.get()).toMillis(),
                bulkTasks.get(),
                accepted.size(),
                done.size(),
                dead.size(),
                errors);
        assertThat(errors).allMatch(CannotAcquireLockException.class::isInstance);
        assertThat(errors)
                .hasSizeLessThanOrEqualTo(
                        server == TestServer.POSTGRESQL ? 0 : transactions.get() / TRANSACTIONS_PER_DEADLOCK);
        assertThat(Duration.ofNanos(longest.get())).isLessThan(LONGEST_WAIT);
        assertThat(bulkTasks).hasPositiveValue();
        assertThat(accepted).isNotEmpty().allMatch(call -> done.contains(call) || dead.contains(call));
        assertThat(done).allMatch(accepted::contains);
        for (int item = 0; item < KEYS; item++) {
            assertThat(seen.get(item)).as("item %d", item).isEqualTo(entries(item));
        }
    }

    private int entries(int item) {
        return jdbc.queryForObject("select count(*) from entry where item = ?", Integer.class, item);
    }

    class Jobs {

        /** Sees all transactions that have asked for it before it starts. */
        @RetryOn(UncheckedIOException.class)
        @Durable(value = OUTBOX, uniqueKey = "#item")
        public void index(int item) {
            seen.merge(item, entries(item), Math::max);
        }

        @RetryOn(value = UncheckedIOException.class, maxAttempts = 3)
        @Durable(OUTBOX)
        public void ship(String id) {
            if (ThreadLocalRandom.current().nextInt(10) == 0) {
                throw new UncheckedIOException(new IOException("down"));
            }
            done.add(id);
        }

        @RetryOn(value = UncheckedIOException.class, maxAttempts = 2)
        @Durable(value = OUTBOX, lane = "mail")
        public void mail(String id) {
            if (ThreadLocalRandom.current().nextInt(4) == 0) {
                throw new UncheckedIOException(new IOException("down"));
            }
            done.add(id);
        }
    }
}
