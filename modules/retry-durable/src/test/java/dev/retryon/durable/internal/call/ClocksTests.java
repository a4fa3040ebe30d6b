// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.RetryContext;
import dev.retryon.durable.Durable;
import dev.retryon.durable.internal.store.TestPostgres;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.module.ExtensionErrors;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Two nodes on one PostgreSQL whose clocks differ. A hold lasts four heartbeats, by the clocks of both: of the one that confirms
 * it and of the one that looks whether it has lapsed.
 */
@Tag("database")
@ExtendWith(OutputCaptureExtension.class)
class ClocksTests {

    private static final Duration HEARTBEAT = Duration.ofSeconds(1);

    private final String url = TestPostgres.database();

    private ApplicationContextRunner node() {
        return DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=" + url,
                        "retryon.jdbc.initialize-schema=always",
                        "retryon.durable.heartbeat-interval=" + HEARTBEAT)
                .withBean(Mails.class);
    }

    /** A node whose clock is ahead: all times that it writes are later, and all that it reads are earlier for it. */
    private ApplicationContextRunner node(Duration ahead) {
        return node().withBean(Ahead.class, () -> new Ahead(ahead));
    }

    @Test
    void aRunningCallIsLeftToItsNodeByOneThatIsLessThanAHoldAhead() {
        node().run(one -> {
            Mails mails = one.getBean(Mails.class);
            mails.send();
            await().until(() -> mails.attempts().size() == 1);

            node(HEARTBEAT).run(other -> {
                // Longer than a hold lasts that nobody confirms.
                await().during(HEARTBEAT.multipliedBy(6))
                        .until(() -> other.getBean(Mails.class).attempts().isEmpty());

                assertThat(mails.attempts().get(0).leaseValid()).isTrue();
                mails.open();
                await().until(() -> DurableTrial.stored(one) == 0);
                assertThat(mails.attempts()).hasSize(1);
                assertThat(other.getBean(Mails.class).attempts()).isEmpty();
            });
        });
    }

    @Test
    void aRunningCallIsTakenByOneThatIsFurtherAheadAndItsNodeSeesThatAndChangesNothing(CapturedOutput output) {
        node().run(one -> {
            Mails mails = one.getBean(Mails.class);
            mails.send();
            await().until(() -> mails.attempts().size() == 1);

            node(Duration.ofHours(1)).run(other -> {
                Mails taken = other.getBean(Mails.class);
                await().until(() -> taken.attempts().size() == 1);
                await().until(() -> !mails.attempts().get(0).leaseValid());
                assertThat(taken.attempts().get(0).attempt()).isEqualTo(2);
                assertThat(taken.attempts().get(0).callId())
                        .isEqualTo(mails.attempts().get(0).callId());

                mails.open();
                ExtensionErrors errors = one.getBean(ExtensionErrors.class);
                await().until(() -> errors.count(ExtensionErrorListener.Kind.STORE, "Mails.send") == 1);
                await().until(() -> output.getOut().contains("longer than the lease of its call"));
                assertThat(DurableTrial.stored(one)).isOne();

                taken.open();
                await().until(() -> DurableTrial.stored(one) == 0);
                assertThat(DurableTrial.deadLetters(one)).isEmpty();
            });
        });
    }

    static class Mails {

        private final List<RetryContext> attempts = new CopyOnWriteArrayList<>();

        private final CountDownLatch gate = new CountDownLatch(1);

        List<RetryContext> attempts() {
            return attempts;
        }

        void open() {
            gate.countDown();
        }

        @RetryOn(value = IOException.class, maxAttempts = 5)
        @Durable(OUTBOX)
        public void send() throws InterruptedException {
            attempts.add(RetryContext.current());
            gate.await();
        }
    }

    /** Shifts the times of statements and results, which is what a clock that is ahead does. */
    static class Ahead implements BeanPostProcessor {

        private final Duration ahead;

        Ahead(Duration ahead) {
            this.ahead = ahead;
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            if (!(bean instanceof DataSource dataSource)) {
                return bean;
            }
            return new DelegatingDataSource(dataSource) {
                @Override
                public Connection getConnection() throws SQLException {
                    return shifted(Connection.class, super.getConnection());
                }
            };
        }

        private <T> T shifted(Class<T> type, T real) {
            return type.cast(Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                        if (method.getName().equals("setObject") && arguments[1] instanceof OffsetDateTime time) {
                            arguments[1] = time.plus(ahead);
                        }
                        try {
                            Object result = method.invoke(real, arguments);
                            if (result instanceof PreparedStatement statement) {
                                return shifted(PreparedStatement.class, statement);
                            }
                            if (result instanceof ResultSet row) {
                                return shifted(ResultSet.class, row);
                            }
                            return result instanceof OffsetDateTime time ? time.minus(ahead) : result;
                        } catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                    }));
        }
    }
}
