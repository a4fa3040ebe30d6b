// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ApplicationContext;

/** Rows with texts that PostgreSQL takes in no text column, or in none of the usual length: each ends as a dead letter. */
@Tag("database")
class HostileTextsTests {

    private static final String ROW = "{\"v\":1,\"key\":\"KEY\",\"name\":\"NAME\",\"bean\":\"BEAN\",\"args\":\"ARGS\","
            + "\"state\":{\"callId\":\"hostile\",\"attempt\":1,\"startedAt\":0,\"past\":[],"
            + "\"error\":{\"type\":\"TYPE\",\"message\":\"MESSAGE\"}},\"delay\":\"PT0S\",\"override\":{},"
            + "\"context\":{\"traceparent\":\"TRACE\"}}";

    private static final String ODD = "\\u0000\\uD83D".repeat(3_000);

    @ParameterizedTest
    @ValueSource(strings = {"NAME", "BEAN", "ARGS", "TYPE", "MESSAGE", "TRACE"})
    void aTextThatIsLongAndOddIsNoReasonToTryForEver(String field) {
        becomesADeadLetter(ROW.replace("\"" + field + "\"", "\"" + ODD + "\"")
                .replace("KEY", Mails.class.getName() + "#send(java.lang.String)")
                .getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aMethodThatIsLongAndOddIsUnknown() {
        DurableTrial.postgres().withBean(Mails.class).run(context -> {
            add(context, ROW.replace("KEY", ODD).getBytes(StandardCharsets.UTF_8));

            await().until(() -> DurableTrial.store(context)
                            .jdbc()
                            .sql("select version from retryon_call where not picked")
                            .query(Long.class)
                            .optional()
                            .orElse(0L)
                    == 3);
            assertThat(context.getBean(StoredCalls.class).giveUp("hostile", null))
                    .isTrue();
            assertThat(DurableTrial.deadLetters(context)).hasSize(1);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u0000\u0001\u0002", "{\"v\":1,\"key\":\"\u0000"})
    void whatIsNoTextIsKeptAsFarAsItCanBe(String row) {
        becomesADeadLetter(row.getBytes(StandardCharsets.UTF_8));
        becomesADeadLetter(row.getBytes(StandardCharsets.UTF_16));
    }

    private static void becomesADeadLetter(byte[] row) {
        DurableTrial.postgres()
                .withPropertyValues("retryon.durable.unresolved-after=0s", "retryon.durable.heartbeat-interval=250ms")
                .withBean(Mails.class)
                .run(context -> {
                    add(context, row);

                    await().until(() -> DurableTrial.stored(context) == 0);
                    assertThat(DurableTrial.deadLetters(context))
                            .extracting(DeadLetter::id, DeadLetter::reason)
                            .containsExactly(tuple("hostile", StopReason.UNRESOLVABLE));
                });
    }

    private static void add(ApplicationContext context, byte[] row) {
        CallEngine.Label label = new CallEngine.Label("Mails.send", null, 0, Instant.now(), "default", "");
        context.getBean(CallEngine.class).add(null, "hostile", row, label, Instant.now());
    }

    static class Mails {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void send(String id) {}
    }
}
