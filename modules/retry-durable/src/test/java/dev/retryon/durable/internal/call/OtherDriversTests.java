// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.durable.internal.store.Database;
import dev.retryon.durable.internal.store.TestServer;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** MySQL's driver with a MariaDB server, and the other way round. */
@Tag("database")
class OtherDriversTests {

    private final AtomicInteger sent = new AtomicInteger();

    @ParameterizedTest
    @CsvSource({"MARIADB, mysql, MARIADB", "MYSQL, mariadb, MYSQL"})
    void theServerDecides(TestServer server, String driver, Database expected) {
        String url = server.database(driver);
        DurableTrial.inMemory()
                .withPropertyValues("spring.datasource.url=" + url, "retryon.jdbc.initialize-schema=always")
                .withBean(Mails.class, () -> new Mails())
                .run(context -> {
                    assertThat(DurableTrial.store(context).database()).isEqualTo(expected);

                    context.getBean(Mails.class).send();

                    await().until(() -> sent.get() == 2 && DurableTrial.stored(context) == 0);
                });
    }

    public class Mails {

        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void send() throws IOException {
            if (sent.incrementAndGet() == 1) {
                throw new IOException("first");
            }
        }
    }
}
