// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import dev.retryon.RetryHistory;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application in its own process, which runs until it is killed. */
final class KilledApplication {

    /** The number of threads that call durable methods. */
    private static final int CALLERS = 3;

    static final int LETTERS = 60;

    private KilledApplication() {}

    /** What the process does. */
    enum Work {
        /** Calls durable methods all the time. */
        CALLS,
        /** Does so with many callers in transactions, whose pool has fewer connections, and from listeners after the commit. */
        CALLS_IN_TRANSACTIONS,
        /** Commits one call of an outbox, and stands still before the worker is told of it. */
        COMMITS_AND_STANDS_STILL,
        /** Places an order that ends the process. */
        PLACES_DEADLY,
        /** Places two orders that take long. */
        PLACES_LONG,
        /** Resends a dead letter of a method that is not durable, whose call takes long. */
        RESENDS,
        /** Resends {@value KilledApplication#LETTERS} dead letters of such a method, slowly. */
        RESENDS_MANY,
        /** Makes calls of others. */
        WAITS
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        RetryDurableCoreAutoConfiguration.class,
        RetryAutoConfiguration.class,
        RetryDurableAutoConfiguration.class
    })
    static class OnFile {

        @Bean
        Journal journal(Environment environment) {
            return new Journal(
                    Path.of(environment.getRequiredProperty("trial.journal")),
                    environment.getRequiredProperty("trial.process"));
        }

        @Bean
        Orders orders(Journal journal) {
            return new Orders(journal, journal::awaitGo);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        TransactionAutoConfiguration.class
    })
    static class OnDatabase extends OnFile {

        @Bean
        Announcer announcer(Orders orders, Journal journal) {
            return new Announcer(orders, journal);
        }
    }

    /** An order whose transaction is committed. */
    record Placed(String order) {}

    static class Announcer {

        private final Orders orders;

        private final Journal journal;

        Announcer(Orders orders, Journal journal) {
            this.orders = orders;
            this.journal = journal;
        }

        @TransactionalEventListener
        public void announce(Placed placed) throws IOException {
            orders.announce(placed.order());
            journal.write(Journal.Event.ACCEPTED, placed.order());
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        boolean database = String.join(" ", arguments).contains("spring.datasource.url");
        ConfigurableApplicationContext context = new SpringApplicationBuilder(
                        database ? OnDatabase.class : OnFile.class)
                .web(WebApplicationType.NONE)
                .run(arguments);
        Application application = new Application(
                context.getBean(Orders.class),
                context.getBean(Journal.class),
                database ? new TransactionTemplate(context.getBean(PlatformTransactionManager.class)) : null);
        switch (Work.valueOf(context.getEnvironment().getRequiredProperty("trial.work"))) {
            case CALLS -> application.call();
            case CALLS_IN_TRANSACTIONS ->
                application.callInTransactions(
                        context, context.getEnvironment().getRequiredProperty("trial.callers", int.class));
            case COMMITS_AND_STANDS_STILL -> application.commitAndStandStill();
            case PLACES_DEADLY -> application.place("deadly", application.orders()::placeDeadly);
            case PLACES_LONG -> {
                application.place("long-1", application.orders()::placeLong);
                application.place("long-2", application.orders()::placeLong);
            }
            case RESENDS -> application.resend(context.getBean(StoredCalls.class));
            case RESENDS_MANY -> application.resendMany(context.getBean(StoredCalls.class));
            case WAITS -> {}
        }
        new CountDownLatch(1).await();
    }

    private interface Placing {

        void place(String order) throws IOException;
    }

    private record Application(Orders orders, Journal journal, TransactionTemplate transactions) {

        void call() {
            for (int caller = 0; caller < CALLERS; caller++) {
                int number = caller;
                new Thread(() -> call(number)).start();
            }
        }

        private void call(int caller) {
            for (int i = 0; ; i++) {
                String order = Orders.order(1 + i % (Orders.ATTEMPTS + 1), journal.process() + "-" + caller + "-" + i);
                switch (i % 3) {
                    case 0 -> place(order, orders::place);
                    case 1 -> announce(order + "-announced", false);
                    default -> announce(order + "-rolled-back", transactions != null);
                }
            }
        }

        void callInTransactions(ApplicationEventPublisher events, int callers) {
            for (int caller = 0; caller < callers; caller++) {
                int number = caller;
                new Thread(() -> {
                            for (int i = 0; ; i++) {
                                callInTransaction(events, number + i, journal.process() + "-" + number + "-" + i);
                            }
                        })
                        .start();
            }
        }

        private void callInTransaction(ApplicationEventPublisher events, int kind, String name) {
            transactions.executeWithoutResult(status -> {
                switch (kind % 3) {
                    case 0 -> place(Orders.order(2, name), orders::place);
                    case 1 -> keep(Orders.order(Orders.ATTEMPTS + 1, name + "-kept"));
                    default -> events.publishEvent(new Placed(Orders.order(1, name + "-announced")));
                }
            });
        }

        /** Makes a call that fails; what keeps it from being kept is suppressed in its error. */
        private void keep(String order) {
            try {
                orders.keep(order);
            } catch (IOException ex) {
                boolean isKept = Arrays.stream(ex.getSuppressed()).allMatch(RetryHistory.class::isInstance);
                journal.write(isKept ? Journal.Event.ACCEPTED : Journal.Event.REFUSED, order);
            }
        }

        void place(String order, Placing placing) {
            try {
                placing.place(order);
            } catch (Exception ex) {
                throw new IllegalStateException(ex);
            }
            journal.write(Journal.Event.ACCEPTED, order);
        }

        private void announce(String order, boolean rolledBack) {
            if (transactions == null) {
                announce(order);
                journal.write(Journal.Event.ACCEPTED, order);
                return;
            }
            transactions.executeWithoutResult(status -> {
                announce(order);
                if (rolledBack) {
                    journal.write(Journal.Event.ROLLED_BACK, order);
                    status.setRollbackOnly();
                }
            });
            if (!rolledBack) {
                journal.write(Journal.Event.COMMITTED, order);
            }
        }

        private void announce(String order) {
            try {
                orders.announce(order);
            } catch (Exception ex) {
                throw new IllegalStateException(ex);
            }
        }

        void resendMany(StoredCalls letters) {
            for (int i = 0; i < LETTERS; i++) {
                keepLong("long-" + i);
            }
            letters.resendAll(StoredCalls.Filter.ALL, StoredCalls.Bulk.confirmed(4));
        }

        private void keepLong(String order) {
            orders.setDown(true);
            try {
                orders.keepLong(order);
            } catch (IOException ex) {
                orders.setDown(false);
            }
        }

        void resend(StoredCalls letters) {
            keepLong("long");
            letters.resend(
                    letters.list(StoredCalls.Filter.ALL, null, 1).calls().get(0).id());
        }

        void commitAndStandStill() {
            announce(Orders.order(1, journal.process() + "-rolled-back"), true);
            String order = Orders.order(1, journal.process());
            transactions.executeWithoutResult(status -> {
                // Before that of the starter, which comes with the call.
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        journal.write(Journal.Event.COMMITTED, order);
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException ex) {
                            throw new IllegalStateException(ex);
                        }
                    }
                });
                announce(order);
            });
        }
    }
}
