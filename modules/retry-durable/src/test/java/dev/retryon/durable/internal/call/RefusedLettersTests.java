// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.durable.internal.letter.Letters;
import dev.retryon.durable.internal.store.TestPostgres;
import dev.retryon.durable.internal.store.TestServer;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** Dead letters that the database refuses while it takes all others: they hold up no other call. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("database")
class RefusedLettersTests {

    /** Fewer than there are dying calls, so that no thread is left if each of these keeps one. */
    private static final int THREADS = 2;

    private static final int DYING = 5;

    private static final int OTHERS = 20;

    private final Mails mails = new Mails();

    private ApplicationContextRunner on(String url) {
        return DurableTrial.inMemory()
                .withPropertyValues(
                        "spring.datasource.url=" + url,
                        "retryon.jdbc.initialize-schema=always",
                        "retryon.durable.threads=" + THREADS,
                        "retryon.durable.heartbeat-interval=250ms")
                .withBean(Mails.class, () -> mails);
    }

    /** Stores calls that die, then calls that succeed in their second attempt. */
    private void send(ApplicationContext context, String large) throws IOException {
        Mails proxy = context.getBean(Mails.class);
        for (int i = 0; i < DYING; i++) {
            proxy.send("dying " + i + large);
        }
        for (int i = 0; i < OTHERS; i++) {
            proxy.send("fine " + i);
        }
    }

    private static void execute(ApplicationContext context, String statement) {
        new JdbcTemplate(DurableTrial.store(context).dataSource()).execute(statement);
    }

    private void checkThatLettersAreKeptWithoutValues(ApplicationContext context) {
        await().until(() -> DurableTrial.stored(context) == 0);

        assertThat(mails.made).hasSize(OTHERS);
        assertThat(mails.attempts)
                .hasSize(DYING + OTHERS)
                .allSatisfy((to, attempts) -> assertThat(attempts).isEqualTo(2));
        assertThat(DurableTrial.deadLetters(context)).hasSize(DYING).allSatisfy(letter -> {
            assertThat(letter.errorMessage()).isEqualTo("down");
            assertThat(letter.method()).contains("send");
            assertThat(letter.arguments()).isNull();
            assertThat(letter.stackTrace()).isNull();
            assertThat(letter.actions())
                    .singleElement()
                    .extracting(StoredCall.Action::detail)
                    .asString()
                    .startsWith("stored without arguments, stack trace and earlier failures, because the store rejected"
                            + " them: ")
                    .doesNotContain("dying");
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POSTGRESQL")
    void lettersThatAreTooLarge(TestServer server, CapturedOutput output) {
        server.smallPackets(url -> on(url).run(context -> {
            // Four bytes each: escaped in JSON, then in SQL, or as bytes in the hexadecimal notation of MySQL's
            // driver.
            send(context, "\\".repeat(15_500));

            checkThatLettersAreKeptWithoutValues(context);
            assertThat(output.getOut().split("although the database responds", -1))
                    .hasSize(2);
        }));
    }

    /** Its arguments just fit; with all that has happened since, they do not. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "POSTGRESQL")
    void aResentLetterThatHasBecomeTooLargeIsDeadAgainWithItsArguments(TestServer server) {
        String arguments = "[\"dying" + "\\\\".repeat(15_900) + "\"]";
        server.smallPackets(url -> on(url).run(context -> {
            CallStore store = context.getBean(CallStore.class);
            store.put(Letters.letter(
                    "id",
                    Mails.class.getName() + "#send(java.lang.String)",
                    arguments,
                    Instant.now().truncatedTo(ChronoUnit.MILLIS)));

            assertThat(context.getBean(StoredCalls.class).resend("id")).isTrue();

            await().until(() -> DurableTrial.stored(context) == 0);
            DeadLetter letter = store.died("id").orElseThrow();
            assertThat(letter.state()).isEqualTo(State.DEAD);
            assertThat(letter.arguments()).isEqualTo(arguments);
        }));
    }

    @Test
    void lettersThatPostgresRefuses() {
        refuse("raise exception 'row refused: %', new");
    }

    @Test
    @Tag("endurance")
    void lettersThatPostgresRefusesByEndingTheConnection() {
        refuse("perform pg_terminate_backend(pg_backend_pid())");
    }

    private void refuse(String refusal) {
        on(TestPostgres.database()).run(context -> {
            execute(
                    context,
                    "create function refuse() returns trigger as $$ begin " + refusal
                            + "; return new; end $$ language plpgsql");
            execute(
                    context,
                    "create trigger refuse before insert or update on retryon_call for each row"
                            + " when (new.state = 'DEAD' and new.arguments is not null) execute function refuse()");

            send(context, "");

            checkThatLettersAreKeptWithoutValues(context);
        });
    }

    @Test
    void lettersThatAreRefusedInAnyFormAreTriedAgainWhenTheLeaseHasExpired() {
        on(TestPostgres.database()).run(context -> {
            execute(context, "alter table retryon_call add constraint refused check (state = 'WAITING')");
            // A worker might be between its two forms when the other constraint goes.
            execute(
                    context,
                    "alter table retryon_call add constraint whole check (state = 'WAITING' or arguments is not null)");

            send(context, "");

            await().until(() -> DurableTrial.stored(context) == DYING && mails.made.size() == OTHERS);
            execute(context, "alter table retryon_call drop constraint refused");
            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(DurableTrial.deadLetters(context))
                    .hasSize(DYING)
                    .allSatisfy(letter -> assertThat(letter.arguments()).startsWith("{\"to\":\"dying"));
        });
    }

    @Test
    void aWorkerThatLosesADeadlockWritesAgainAndSaysSo(CapturedOutput output) {
        on(TestPostgres.database()).run(context -> {
            execute(context, "create sequence tries");
            execute(
                    context,
                    "create function lose() returns trigger as $$ begin if nextval('tries') <= 20 then"
                            + " raise exception 'deadlock detected' using errcode = '40P01'; end if; return new; end $$"
                            + " language plpgsql");
            execute(
                    context,
                    "create trigger lose before update on retryon_call for each row when (new.state = 'DEAD')"
                            + " execute function lose()");

            context.getBean(Mails.class).send("dying");

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(DurableTrial.deadLetters(context))
                    .singleElement()
                    .satisfies(letter -> assertThat(letter.arguments()).isEqualTo("{\"to\":\"dying\"}"));
            assertThat(output).contains("because of a concurrent transaction").doesNotContain("waits for the database");
        });
    }

    static class Mails {

        final Map<String, Integer> attempts = new ConcurrentHashMap<>();

        final Set<String> made = ConcurrentHashMap.newKeySet();

        @RetryOn(value = IOException.class, maxAttempts = 2)
        @Durable(ON_FAILURE)
        public void send(String to) throws IOException {
            int attempt = attempts.merge(to, 1, Integer::sum);
            if (attempt == 1 || to.startsWith("dying")) {
                throw deepFailure(300);
            }
            made.add(to);
        }

        /** With a long stack trace. */
        private static IOException deepFailure(int depth) {
            return depth == 0 ? new IOException("down") : deepFailure(depth - 1);
        }
    }
}
