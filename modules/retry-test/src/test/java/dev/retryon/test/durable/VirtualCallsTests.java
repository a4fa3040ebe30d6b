// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCalls;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import dev.retryon.test.RecordedRetries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

/** An application without a database. */
@Tag("slow")
@SpringBootTest(properties = "retryon.defaults.jitter=none")
@VirtualDurableCalls
class VirtualCallsTests {

    @Autowired
    private Mails mails;

    @Autowired
    private Server server;

    @Autowired
    private VirtualCalls calls;

    @Autowired
    private RecordedRetries retries;

    @Autowired
    private StoredCalls stored;

    @Autowired
    private PlatformTransactionManager transactions;

    @Autowired
    private ApplicationEventPublisher events;

    @BeforeEach
    void forget() {
        calls.clear();
        retries.clear();
        server.failures = 0;
        server.sent.clear();
        server.onSend = () -> {};
    }

    @Test
    void runsRetriesWhenTheyAreDue() {
        server.failures = 2;
        mails.send("a");
        assertThat(calls.waiting()).singleElement().satisfies(call -> {
            assertThat(call.name()).isEqualTo("Mails.send");
            assertThat(call.attempts()).isEqualTo(1);
            assertThat(call.errorType()).isEqualTo(UncheckedIOException.class.getName());
            assertThat(call.due()).isEqualTo(now().plusSeconds(1));
        });
        assertThat(calls.advance(Duration.ofMillis(999))).isZero();
        assertThat(calls.advance(Duration.ofMillis(1))).isEqualTo(1);
        assertThat(calls.waiting()).extracting(StoredCalls.Summary::attempts).containsExactly(2);
        assertThat(calls.advance(ofHours(1))).isEqualTo(1);
        assertThat(calls.waiting()).isEmpty();
        assertThat(server.sent).containsExactly("a");
        assertThat(retries).of("Mails.send").attempted(3).succeeded();
    }

    @Test
    void runsCallsInTheOrderOfTheirDueTimes() {
        later(ofSeconds(3), "late");
        later(ofSeconds(2), "soon");
        mails.place("now");
        mails.place("now too");
        List<Instant> times = new ArrayList<>();
        server.onSend = () -> times.add(now());
        Instant start = now();
        assertThat(calls.advance(ofMinutes(1))).isEqualTo(4);
        assertThat(server.sent).containsExactly("now", "now too", "soon", "late");
        assertThat(times).containsExactly(start, start, start.plusSeconds(2), start.plusSeconds(3));
        assertThat(now()).isEqualTo(start.plusSeconds(60));
    }

    @Test
    void keepsDeadLettersAndResendsThem() {
        server.failures = 3;
        mails.send("a");
        calls.advance(ofHours(1));
        StoredCall letter = calls.deadLetters().get(0);
        assertThat(letter.arguments()).isEqualTo("{\"text\":\"a\"}");
        assertThat(stored.resend(letter.id())).isTrue();
        assertThat(calls.waiting()).extracting(StoredCalls.Summary::id).containsExactly(letter.id());
        assertThat(calls.runDue()).isEqualTo(1);
        assertThat(server.sent).containsExactly("a");
        assertThat(calls.deadLetters()).extracting(StoredCall::state).containsExactly(StoredCall.State.RESOLVED);
        calls.clear();
        assertThat(calls.deadLetters()).isEmpty();
    }

    @Test
    void resendsCallsOfMethodsThatAreNotDurable() {
        server.failures = 1;
        assertThatThrownBy(() -> mails.print("a")).isInstanceOf(UncheckedIOException.class);
        assertThat(stored.resend(calls.deadLetters().get(0).id())).isTrue();
        assertThat(calls.runDue()).isEqualTo(1);
        assertThat(server.sent).containsExactly("a");
        assertThat(calls.deadLetters()).extracting(StoredCall::state).containsExactly(StoredCall.State.RESOLVED);
    }

    @Test
    void storesCallsOfCommittedTransactions() {
        TransactionTemplate transaction = new TransactionTemplate(transactions);
        transaction.executeWithoutResult(status -> {
            mails.place("rolled back");
            status.setRollbackOnly();
        });
        transaction.executeWithoutResult(status -> {
            mails.place("committed");
            assertThat(calls.waiting()).isEmpty();
        });
        transaction.executeWithoutResult(status -> events.publishEvent("from a listener after the commit"));
        calls.runDue();
        assertThat(server.sent).containsExactly("committed", "from a listener after the commit");
    }

    @Test
    void storesOneCallOfAKey() {
        mails.remind("a");
        mails.remind("a");
        mails.remind("b");
        assertThat(calls.runDue()).isEqualTo(2);
        mails.remind("a");
        assertThat(calls.waiting()).hasSize(1);
    }

    @Test
    void runsNoCallsWhereAWorkerCouldNot() {
        mails.place("a");
        new TransactionTemplate(transactions)
                .executeWithoutResult(status -> assertThatIllegalStateException()
                        .isThrownBy(() -> calls.runDue())
                        .withMessageContaining("TestTransaction.end()"));
        List<Throwable> errors = new ArrayList<>();
        server.onSend = () -> {
            try {
                calls.runDue();
            } catch (IllegalStateException ex) {
                errors.add(ex);
            }
        };
        calls.runDue();
        assertThat(errors)
                .singleElement()
                .extracting(Throwable::getMessage)
                .asString()
                .contains("in the test");
        assertThatIllegalArgumentException().isThrownBy(() -> calls.advance(ofSeconds(-1)));
    }

    @Test
    void reportsCallsThatNeverEnd() {
        server.failures = Integer.MAX_VALUE;
        mails.insist();
        assertThatIllegalStateException()
                .isThrownBy(() -> calls.runDue())
                .withMessageContaining("give their methods a delay");
    }

    private void later(Duration delay, String text) {
        Retries.with(settings -> settings.set("durable.initial-delay", delay.toString()))
                .run(() -> mails.place(text));
    }

    private Instant now() {
        return retries.time().instant();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @ImportAutoConfiguration(AopAutoConfiguration.class)
    @Import({Mails.class, Server.class})
    static class Application {

        @Bean
        PlatformTransactionManager transactionManager() {
            return new PlainTransactions();
        }

        @Bean
        Listener listener(Mails mails) {
            return new Listener(mails);
        }
    }

    record Listener(Mails mails) {

        @TransactionalEventListener
        public void placeLater(String text) {
            mails.place(text);
        }
    }

    @Test
    void callsWithAnOrderKeyKeepTheirOrder() {
        server.failures = 1;
        mails.ship("a1");
        mails.ship("a2");
        mails.ship("b1");
        assertThat(calls.waiting())
                .extracting(StoredCalls.Summary::state)
                .containsExactly(StoredCall.State.WAITING, StoredCall.State.BLOCKED, StoredCall.State.WAITING);
        assertThat(calls.advance(Duration.ZERO)).isEqualTo(2);
        assertThat(server.sent).containsExactly("b1");
        calls.advance(ofHours(1));
        assertThat(server.sent).containsExactly("b1", "a1", "a2");
        new TransactionTemplate(transactions).executeWithoutResult(status -> {
            mails.ship("a3");
            status.setRollbackOnly();
        });
        mails.ship("a4");
        calls.advance(Duration.ZERO);
        assertThat(server.sent).endsWith("a4");
    }

    static class Server {

        private final List<String> sent = new ArrayList<>();

        private int failures;

        private Runnable onSend = () -> {};

        private void deliver(String text) {
            onSend.run();
            if (failures > 0) {
                failures--;
                throw new UncheckedIOException(new IOException("the server is down"));
            }
            sent.add(text);
        }
    }

    static class Mails {

        private final Server server;

        Mails(Server server) {
            this.server = server;
        }

        @RetryOn(UncheckedIOException.class)
        @Durable(ON_FAILURE)
        public void send(String text) {
            server.deliver(text);
        }

        @RetryOn(value = UncheckedIOException.class, maxAttempts = 1)
        @Durable(ON_EXHAUSTION)
        public void print(String text) {
            server.deliver(text);
        }

        @RetryOn(UncheckedIOException.class)
        @Durable(OUTBOX)
        public void place(String text) {
            server.deliver(text);
        }

        @RetryOn(UncheckedIOException.class)
        @Durable(value = OUTBOX, uniqueKey = "#text")
        public void remind(String text) {
            server.deliver(text);
        }

        @RetryOn(UncheckedIOException.class)
        @Durable(value = OUTBOX, orderKey = "#text.charAt(0)")
        public void ship(String text) {
            server.deliver(text);
        }

        @RetryOn(value = UncheckedIOException.class, backoff = "none", maxAttempts = 1_000_000)
        @Durable(ON_FAILURE)
        public void insist() {
            server.deliver("insisted");
        }
    }
}
