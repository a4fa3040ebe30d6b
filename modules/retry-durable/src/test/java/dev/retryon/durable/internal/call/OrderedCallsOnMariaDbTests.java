// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.StoredCall.State.BLOCKED;
import static dev.retryon.durable.StoredCall.State.WAITING;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.durable.StoredCalls.Summary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Phaser;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

@Tag("database")
class OrderedCallsOnMariaDbTests extends OrderedCallsTests {

    @Override
    ApplicationContextRunner database() {
        return DurableTrial.mariaDb();
    }

    /** Of callers that wait for a row that is never committed, the server would end one with a deadlock. */
    @Test
    void aRollbackOfTheFirstCallOfAKeyFailsNoOtherCaller() {
        application(0).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            for (char key = 'a'; key <= 'c'; key++) {
                String text = key + "1";
                List<CompletableFuture<Void>> others = new ArrayList<>();
                transaction(context).executeWithoutResult(status -> {
                    shipping.send(text);
                    for (int other = 0; other < 2; other++) {
                        others.add(caller(() -> inTransaction(context, () -> shipping.send(text))));
                    }
                    // The server renews the table of transactions only if it was not read for a tenth of a second.
                    await().pollInterval(Duration.ofMillis(200)).until(() -> lockWaits(context) == 2);
                    status.setRollbackOnly();
                });
                assertThat(others).allSatisfy(other -> assertThat(other).succeedsWithin(Duration.ofSeconds(30)));
            }
            assertThat(list(context, WAITING)).hasSize(3);
            assertThat(list(context, BLOCKED)).hasSize(3);
        });
    }

    /** The first calls of a key begin at the same time in all transactions. */
    @Test
    void rollbacksOfSimultaneousFirstCallsFailNoOtherCaller() {
        application(0).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            for (char key = 'a'; key <= 'z'; key++) {
                String text = key + "1";
                Phaser begin = new Phaser(4);
                List<CompletableFuture<Void>> callers = IntStream.range(0, begin.getRegisteredParties())
                        .mapToObj(number -> caller(() -> transaction(context).executeWithoutResult(status -> {
                            begin.arriveAndAwaitAdvance();
                            shipping.send(text);
                            status.setRollbackOnly();
                        })))
                        .toList();
                assertThat(callers).allSatisfy(caller -> assertThat(caller).succeedsWithin(Duration.ofSeconds(30)));
            }
            assertThat(list(context)).isEmpty();
        });
    }

    private static long lockWaits(ApplicationContext context) {
        return DurableTrial.store(context)
                .jdbc()
                .sql("select count(*) from information_schema.innodb_trx join information_schema.processlist on id ="
                        + " trx_mysql_thread_id where trx_state = 'LOCK WAIT' and db = database()")
                .query(Long.class)
                .single();
    }

    /** With the default isolation, the snapshot has neither the end of the first call nor the second one. */
    @Test
    void aSnapshotFromBeforeTheOtherCallsKeepsTheOrder() {
        application(2).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            Partner partner = context.getBean(Partner.class);
            partner.down.add("a1");
            shipping.send("a1");
            TransactionTemplate snapshot = transaction(context);
            snapshot.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
            snapshot.executeWithoutResult(status -> {
                assertThat(DurableTrial.stored(context)).isOne();
                CompletableFuture.runAsync(() -> {
                            partner.down.add("a2");
                            partner.down.remove("a1");
                            shipping.send("a2");
                            await().until(() -> partner.sent.contains("a1"));
                        })
                        .join();
                shipping.send("a3");
            });
            partner.down.clear();

            await().until(() -> partner.sent.size() == 3);
            assertThat(partner.sent).containsExactly("a1", "a2", "a3");
        });
    }

    /** With the default isolation, a read before the first call would fix what the transaction sees. */
    @Test
    void aTransactionThatWaitedSeesTheOneBeforeIt() {
        application(0).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            List<CompletableFuture<Void>> second = new ArrayList<>();
            List<Long> seen = new CopyOnWriteArrayList<>();
            inTransaction(context, () -> {
                shipping.send("a1");
                second.add(caller(() -> inTransaction(context, () -> {
                    shipping.send("a2");
                    seen.add(DurableTrial.stored(context));
                })));
                await().pollInterval(Duration.ofMillis(200)).until(() -> lockWaits(context) == 1);
                shipping.unordered("b1");
            });
            assertThat(second.get(0)).succeedsWithin(Duration.ofSeconds(30));
            assertThat(seen).containsExactly(2L);
        });
    }

    /** The inner transaction would wait for the outer one forever. */
    @Test
    void aCallerWaitsForItsKeyForALimitedTime() {
        application(0).withPropertyValues("retryon.dead-letter.timeout=1s").run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            TransactionTemplate inner = transaction(context);
            inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            inTransaction(context, () -> {
                shipping.send("a1");
                assertThatExceptionOfType(QueryTimeoutException.class)
                        .isThrownBy(() -> inner.executeWithoutResult(status -> shipping.send("a2")));
            });
            assertThat(list(context)).extracting(Summary::state).containsExactly(WAITING);
        });
    }

    @Test
    void aCallIsStoredAlthoughItsKeyCannotBeAddedBefore() {
        application(0).run(context -> {
            Shipping shipping = context.getBean(Shipping.class);
            DurableTrial.store(context)
                    .template()
                    .execute("create trigger refuse before insert on retryon_order for each row begin"
                            + " if new.last_number = 0 then signal sqlstate '45000'; end if; end");
            inTransaction(context, () -> Stream.of("a1", "a2").forEach(shipping::send));
            assertThat(list(context, WAITING, BLOCKED))
                    .extracting(Summary::state)
                    .containsExactly(WAITING, BLOCKED);
        });
    }

    /** Callers that needed two connections of a pool could wait for each other. */
    @Test
    void withoutOwnConnectionsACallerNeedsOnlyOne() {
        application(0)
                .withPropertyValues("retryon.jdbc.own-connections=0", "spring.datasource.hikari.maximum-pool-size=1")
                .run(context -> {
                    Shipping shipping = context.getBean(Shipping.class);
                    assertThat(caller(() -> inTransaction(context, () -> shipping.send("a1"))))
                            .succeedsWithin(Duration.ofSeconds(10));
                    assertThat(list(context, WAITING)).hasSize(1);
                });
    }
}
