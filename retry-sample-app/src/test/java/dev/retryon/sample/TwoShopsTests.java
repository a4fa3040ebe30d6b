// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** Two shops on one PostgreSQL, by profile {@code postgres}. */
@Tag("database")
class TwoShopsTests {

    private static ConfigurableApplicationContext open(EmbeddedPostgres database) {
        return new SpringApplicationBuilder(ShopApplication.class)
                .profiles("postgres")
                .run(
                        "--server.port=0",
                        "--spring.datasource.url=" + database.getJdbcUrl("postgres", "postgres"),
                        "--spring.datasource.username=postgres",
                        "--spring.datasource.password=postgres",
                        "--spring.http.clients.read-timeout=2m");
    }

    private static Shop shop(ConfigurableApplicationContext context) {
        return new Shop(((WebServerApplicationContext) context).getWebServer().getPort());
    }

    @Test
    void oneSendsWhatTheOtherHasStored() throws IOException {
        try (EmbeddedPostgres database = EmbeddedPostgres.start();
                ConfigurableApplicationContext second = open(database)) {
            try (ConfigurableApplicationContext first = open(database)) {
                Shop.assertStory(
                        shop(first).whose("mail", "503,503,503,503").post("/shop/invoices?order=19"),
                        1,
                        List.of(),
                        null);
            }

            // Each shop has a mail server of its own; that of the second is well.
            await().atMost(Duration.ofMinutes(2))
                    .untilAsserted(() -> assertThat(shop(second).done("mail")).isEqualTo(1));
        }
    }
}
