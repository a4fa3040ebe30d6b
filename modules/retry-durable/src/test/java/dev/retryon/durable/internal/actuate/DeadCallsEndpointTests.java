// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.JsonPath;
import dev.retryon.RetryContext;
import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.Redacted;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.actuate.ActuatorRequest;
import dev.retryon.spring.internal.actuate.OperatorAccess;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;

/** Dead letters as an operator looks at them, sends them again and discards them, over HTTP. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class DeadCallsEndpointTests {

    /** A start takes long: an application serves all tests that need one like it. */
    private static final Map<String, ConfigurableApplicationContext> STARTED = new HashMap<>();

    private static final String DISCARD = "{\"action\": \"discard\"}";

    private ConfigurableApplicationContext context;

    private CallStore store;

    private Mails mails;

    private MailServer server;

    @AfterEach
    void clear() {
        StoredCalls calls = context.getBean(StoredCalls.class);
        await().until(() -> {
            store.list(StoredCalls.Filter.of(State.WAITING), null, 100)
                    .calls()
                    .forEach(letter -> calls.giveUp(letter.id(), null));
            store.delete(null, 0);
            return store.count(StoredCalls.Filter.ALL) == 0;
        });
    }

    @AfterAll
    static void stop() {
        STARTED.values().forEach(ConfigurableApplicationContext::close);
        STARTED.clear();
    }

    @Test
    void thoseThatMatchAreListedAndGrouped() {
        start();
        put("a", "Mails.send", "java.io.IOException", 1);
        put("b", "Mails.send", "java.io.IOException", 2);
        put("c", "Mails.send", "java.net.ConnectException", 3);
        put("d", "Orders.ship", "java.io.IOException", 4);

        String all = get("");
        assertThat(JsonPath.<Integer>read(all, "$.total")).isEqualTo(4);
        assertThat(JsonPath.<List<String>>read(all, "$.items[*].id")).containsExactly("d", "c", "b", "a");
        assertThat(JsonPath.<String>read(all, "$.groups[0].method")).isEqualTo("Mails.send");
        assertThat(JsonPath.<String>read(all, "$.groups[0].error")).isEqualTo("java.io.IOException");
        assertThat(JsonPath.<Integer>read(all, "$.groups[0].count")).isEqualTo(2);
        assertThat(JsonPath.<String>read(all, "$.groups[0].oldest")).isEqualTo("2026-01-01T00:00:01Z");
        assertThat(ids("?method=Mails.send&error=java.io.IOException")).containsExactly("b", "a");
        assertThat(ids("?text=CONNECT")).containsExactly("c");
        assertThat(ids("?from=2026-01-01T00:00:02Z&before=2026-01-01T00:00:04Z"))
                .containsExactly("c", "b");
        assertThat(ids("?state=resolved,discarded")).isEmpty();
        assertThat(ids("?state=all&method=")).hasSize(4);
    }

    @Test
    void aCursorLeadsThroughAllPages() {
        start();
        for (int i = 0; i < 7; i++) {
            put("id " + i, "Mails.send", "java.io.IOException", i);
        }

        List<String> seen = new ArrayList<>();
        String next = "";
        int pages = 0;
        do {
            String page = get("?limit=3" + (next.isEmpty() ? "" : "&cursor=" + next.replace(" ", "%20")));
            seen.addAll(JsonPath.<List<String>>read(page, "$.items[*].id"));
            assertThat(JsonPath.<Integer>read(page, "$.total")).isEqualTo(7);
            next = page.contains("\"next\"") ? JsonPath.<String>read(page, "$.next") : "";
            pages++;
        } while (!next.isEmpty());

        assertThat(pages).isEqualTo(3); // 3 + 3 + 1
        assertThat(seen).containsExactly("id 6", "id 5", "id 4", "id 3", "id 2", "id 1", "id 0");
    }

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void oneIsSeenAndSentAgainOnBothStacks(WebApplicationType stack) {
        start(stack, "unrestricted");
        String id = die("a@b.example");

        String letter = get("/" + id);
        assertThat(JsonPath.<String>read(letter, "$.method")).isEqualTo("Mails.send");
        assertThat(JsonPath.<String>read(letter, "$.signature"))
                .isEqualTo(Mails.class.getName() + "#send(java.lang.String,java.lang.String)");
        assertThat(JsonPath.<List<String>>read(letter, "$.arguments.*")).containsExactly("a@b.example", "[redacted]");
        assertThat(JsonPath.<String>read(letter, "$.message")).isEqualTo("mail server is down");
        assertThat(JsonPath.<String>read(letter, "$.stackTrace"))
                .startsWith("java.io.IOException: mail server is down");
        assertThat(JsonPath.<Integer>read(letter, "$.attempts")).isEqualTo(2);
        assertThat(JsonPath.<List<Integer>>read(letter, "$.failures[*].attempt"))
                .containsExactly(1, 2);
        assertThat(JsonPath.<String>read(letter, "$.reason")).isEqualTo("exhausted");

        server.down = false;
        String done = text(send(HttpMethod.POST, "/" + id, "{\"action\": \"resend\"}"), 200);
        assertThat(JsonPath.<Boolean>read(done, "$.done")).isTrue();
        await().until(() -> status(id) == State.RESOLVED);
        String after = get("/" + id);
        assertThat(JsonPath.<String>read(after, "$.actions[0].by")).isEqualTo("operator");
        assertThat(JsonPath.<List<String>>read(after, "$.actions[*].what")).containsExactly("resent", "resolved");

        String again = text(send(HttpMethod.POST, "/" + id, "{\"action\": \"resend\"}"), 409);
        assertThat(JsonPath.<Boolean>read(again, "$.done")).isFalse();
        assertThat(JsonPath.<String>read(again, "$.problem"))
                .isEqualTo("the call is resolved, but only a dead call can be resent");
    }

    @Test
    void valuesAreHiddenFromThoseWhoMayNotSeeThem() {
        start();
        String id = die("a@b.example");

        String hidden = ActuatorRequest.text(ActuatorRequest.send(port(), HttpMethod.GET, path("/" + id), "", ""));
        assertThat(hidden).doesNotContain("a@b.example").doesNotContain("mail server");
        assertThat(JsonPath.<String>read(hidden, "$.arguments")).isEqualTo("******");
        assertThat(JsonPath.<String>read(hidden, "$.failures[0].message")).isEqualTo("******");
        assertThat(get("/" + id)).contains("a@b.example").doesNotContain("secret");
        String searched =
                ActuatorRequest.text(ActuatorRequest.send(port(), HttpMethod.GET, path("?text=mail%20server"), "", ""));
        assertThat(JsonPath.<String>read(searched, "$.problem")).contains("searches error messages");
    }

    /** A count would tell them letter by letter what the messages are. */
    @ParameterizedTest
    @ValueSource(strings = {"\"dryRun\": true", "\"confirm\": true"})
    void callersWhoMayNotSeeMessagesMayNotFilterByThem(String mode) {
        start();
        store.put(letter("a", "Mails.send", "the password is 4711", 1));
        String body = "{\"action\": \"discard\", \"text\": \"password is 4\", " + mode + "}";

        String hidden = text(ActuatorRequest.send(port(), HttpMethod.POST, path(""), body, ""), 400);

        assertThat(JsonPath.<String>read(hidden, "$.problem"))
                .contains("searches error messages")
                .contains("show-values");
        assertThat(status("a")).isEqualTo(State.DEAD);
        int allowed = mode.contains("dryRun") ? 200 : 202;
        assertThat(JsonPath.<Integer>read(text(send(HttpMethod.POST, "", body), allowed), "$.matched"))
                .isOne();
        await().until(() -> allowed == 200 || status("a") == State.DISCARDED);
    }

    @Test
    void aCallIsSentLater() {
        start();
        String id = die("a");

        String done = text(send(HttpMethod.POST, "/" + id, "{\"action\": \"resend\", \"delay\": \"1h\"}"), 200);

        assertThat(JsonPath.<String>read(done, "$.state")).isEqualTo("waiting");
        assertThat(store.died(id).orElseThrow().actions().get(0).detail()).isEqualTo("in 1h");
        assertThat(ids("?state=dead")).isEmpty();
        assertThat(ids("?state=waiting")).containsExactly(id);
    }

    @Test
    void oneIsDiscardedOnceAndStaysVisible() {
        start();
        String id = die("a");

        ResponseEntity<byte[]> discarded =
                send(HttpMethod.POST, "/" + id, "{\"action\": \"discard\", \"reason\": \"has left\"}");

        assertThat(JsonPath.<String>read(text(discarded, 200), "$.state")).isEqualTo("discarded");
        assertThat(JsonPath.<String>read(get("/" + id), "$.actions[0].detail")).isEqualTo("has left");
        assertThat(JsonPath.<String>read(get("/" + id), "$.actions[0].by")).isEqualTo("operator");
        assertThat(text(send(HttpMethod.POST, "/" + id, DISCARD), 409)).contains("the call is discarded");
    }

    @Test
    void whatWasDoneIsAudited() {
        start();
        Instant start = Instant.now();
        put("a", "Mails.send", "java.io.IOException", 1);
        put("b", "Mails.send", "java.io.IOException", 1);

        send(HttpMethod.POST, "/a", DISCARD);
        send(HttpMethod.POST, "/a", DISCARD);
        send(HttpMethod.POST, "", "{\"action\": \"discard\", \"method\": \"Mails.send\", \"confirm\": true}");

        await().until(() -> ids("").isEmpty());
        List<AuditEvent> audited =
                context.getBean(AuditEventRepository.class).find("operator", start, "RETRYON_CALLS_CHANGED");
        assertThat(audited).hasSize(2);
        assertThat(audited.get(0).getData()).containsEntry("action", "discard").containsEntry("id", "a");
        assertThat(audited.get(1).getData())
                .containsEntry("action", "discard")
                .containsEntry("matched", 1L)
                .containsKey("task");
    }

    @Test
    void whatAnOperatorWritesStaysOnOneLineOfTheLog(CapturedOutput output) {
        start();

        send(HttpMethod.POST, "", "{\"action\": \"discard\", \"method\": \"x\\r\\nINFO forged\", \"confirm\": true}");

        assertThat(output.getAll().lines().filter(line -> line.contains("INFO forged")))
                .singleElement()
                .asString()
                .contains("stored calls changed by operator");
        await().until(() -> JsonPath.<String>read(get(""), "$.task.state").equals("done"));
    }

    @Test
    void manyAreSentAgainInTheBackground() {
        start();
        List<String> died = List.of(die("a"), die("b"), die("c"));
        put("other", "Orders.ship", "java.io.IOException", 1);
        server.down = false;

        String dry = text(
                send(HttpMethod.POST, "", "{\"action\": \"resend\", \"method\": \"Mails.send\", \"dryRun\": true}"),
                200);
        assertThat(JsonPath.<Integer>read(dry, "$.matched")).isEqualTo(3);
        assertThat(JsonPath.<String>read(dry, "$.state")).isEqualTo("dry_run");
        assertThat(Instant.parse(JsonPath.read(dry, "$.before")))
                .isBetween(Instant.now().minusSeconds(60), Instant.now());
        refused("", "{\"action\": \"resend\", \"method\": \"Mails.send\"}", "confirm is 'false', but must be true");
        String task = text(
                send(
                        HttpMethod.POST,
                        "",
                        "{\"action\": \"resend\", \"method\": \"Mails.send\", \"maxPerSecond\": 100, \"confirm\": true}"),
                202);

        assertThat(JsonPath.<Integer>read(task, "$.matched")).isEqualTo(3);
        await().until(() -> died.stream().allMatch(id -> status(id) == State.RESOLVED));
        await().until(() -> JsonPath.<String>read(get(""), "$.task.state").equals("done"));
        String shown = get("");
        assertThat(JsonPath.<String>read(shown, "$.task.task")).isEqualTo(JsonPath.<String>read(task, "$.task"));
        assertThat(JsonPath.<Integer>read(shown, "$.task.moved")).isEqualTo(3);
        assertThat(status("other")).isEqualTo(State.DEAD);
        assertThat(store.died(died.get(1)).orElseThrow().actions().get(0).by()).isEqualTo("operator");
    }

    @Test
    void aTaskIsCancelledAndOnlyOneRuns() {
        start();
        for (int i = 0; i < 50; i++) {
            put("id " + i, "Mails.send", "java.io.IOException", i);
        }
        String slow = "{\"action\": \"discard\", \"maxPerSecond\": 1, \"confirm\": true}";
        text(send(HttpMethod.POST, "", slow), 202);

        assertThat(text(send(HttpMethod.POST, "", slow), 409)).contains("is running; wait until it ends, or cancel it");
        text(send(HttpMethod.POST, "", "{\"action\": \"cancel\"}"), 200);

        await().until(() -> JsonPath.<String>read(get(""), "$.task.state").equals("cancelled"));
        assertThat(store.count(StoredCalls.Filter.of(State.DEAD))).isPositive();
        assertThat(text(send(HttpMethod.POST, "", "{\"action\": \"cancel\"}"), 409))
                .contains("no task is running");
    }

    @Test
    void someAreChosenByTheirIds() {
        start();
        put("a", "Mails.send", "java.io.IOException", 1);
        put("b", "Mails.send", "java.io.IOException", 1);
        put("c", "Mails.send", "java.io.IOException", 1);

        String done = text(send(HttpMethod.POST, "", "{\"action\": \"discard\", \"ids\": \"a, c,a,none\"}"), 200);

        assertThat(JsonPath.<List<String>>read(done, "$.moved")).containsExactly("a", "c");
        assertThat(JsonPath.<List<String>>read(done, "$.skipped")).containsExactly("none");
        assertThat(ids("")).containsExactly("b");
    }

    @Test
    void whatIsWrongIsSaidAndNothingChanges() {
        start();
        put("a", "Mails.send", "java.io.IOException", 1);

        wrong("?limit=0", "limit is '0', but must be a whole number from 1 to 500");
        wrong("?limit=100000", "limit is '100000', but must be a whole number from 1 to 500");
        wrong("?limit=many", "limit is 'many', but must be a whole number");
        wrong("?cursor=nonsense", "cursor is 'nonsense', which");
        wrong("?metod=Mails.send", "'metod' is not a known parameter; use one of");
        wrong(
                "?state=broken",
                "state is 'broken', but must be all, or one or more of waiting, running, blocked, dead, resolved, discarded");
        wrong("?before=yesterday", "before is 'yesterday', but must be a time such as 2026-01-31T12:00:00Z");
        wrong("?method=a&method=b", "'method' is given 2 times; set it once");

        refused("/a", "{}", "action is missing");
        refused(
                "/a",
                "{\"action\": \"retry\"}",
                "action is 'retry', but must be one of run-now, give-up, resend, discard");
        refused("/a", "{\"action\": \"resend\", \"delay\": \"soon\"}", "delay is 'soon', but must be a duration");
        refused(
                "/a",
                "{\"action\": \"resend\", \"delay\": \"-1s\"}",
                "delay is '-1s', but must be between 0s and 365d");
        for (String bare : List.of("\"30\"", "30", "\"-1\"", "\" 30 \"", "\"\"", "\" \"", "\"PT30\"")) {
            refused("/a", "{\"action\": \"resend\", \"delay\": " + bare + "}", "but must be a duration with a unit");
        }
        unknown("/a", "{\"action\": \"resend\", \"reason\": \"x\"}", "reason");
        unknown("/a", "{\"action\": \"discard\", \"delay\": \"1s\"}", "delay");
        unknown("", "{\"action\": \"resend\", \"methd\": \"x\", \"confirm\": true}", "methd");
        refused("", "{\"action\": \"discard\", \"method\": \"\", \"confirm\": true}", "'method' has no value");
        refused("", "{\"action\": \"discard\", \"method\": null, \"confirm\": true}", "'method' has no value");
        for (String blank : List.of("\\u0001", "\\u0000\\u001f", " \\t ", "\\u2003")) {
            String condition = "{\"action\": \"discard\", \"text\": \"" + blank + "\", \"confirm\": true}";
            refused("", condition, "'text' has no value");
        }
        refused("", "{\"action\": \"discard\", \"confirm\": \"yes\"}", "confirm is 'yes', but must be true or false");
        refused("", "{\"action\": \"resend\", \"maxPerSecond\": 0, \"confirm\": true}", "maxPerSecond is '0'");
        refused(
                "",
                "{\"action\": \"resend\", \"reason\": \"x\", \"confirm\": true}",
                "'reason' is only allowed with the actions give-up and discard");
        unknown("", "{\"action\": \"resend\", \"ids\": \"a\", \"method\": \"x\"}", "method");
        refused("", "{\"action\": \"resend\", \"ids\": \",\"}", "'ids' has 0 entries");
        for (String body :
                List.of(" ", "[]", "[{\"action\": \"resend\"}]", "{\"action\": {\"retry\": 1}}", "{", "\"retry\"")) {
            assertThat(send(HttpMethod.POST, "/a", body).getStatusCode().value())
                    .as(body)
                    .isEqualTo(400);
        }

        assertThat(status("a")).isEqualTo(State.DEAD);
        assertThat(store.died("a").orElseThrow().actions()).isEmpty();
    }

    private void wrong(String query, String problem) {
        assertThat(JsonPath.<String>read(text(send(HttpMethod.GET, query, ""), 400), "$.problem"))
                .contains(problem);
    }

    private void unknown(String path, String body, String parameter) {
        refused(path, body, "'" + parameter + "' is not a known parameter");
    }

    private void refused(String path, String body, String problem) {
        assertThat(JsonPath.<String>read(text(send(HttpMethod.POST, path, body), 400), "$.problem"))
                .contains(problem);
    }

    @Test
    void anUnknownIdIsAnsweredWithAHint() {
        start();
        assertThat(text(send(HttpMethod.GET, "/none", ""), 404))
                .contains("no stored call has the id 'none'; the call might have succeeded. GET"
                        + " /actuator/retryoncalls?state=all lists");
        assertThat(text(send(HttpMethod.POST, "/none", "{\"action\": \"resend\"}"), 404))
                .contains("'none'");
        assertThat(text(send(HttpMethod.POST, "/none", DISCARD), 404)).contains("'none'");
    }

    @Test
    void aNameThatNothingHasIsAnsweredWithAHint() {
        start();
        put("a", "Mails.send", "java.net.ConnectException", 1);

        assertThat(JsonPath.<String>read(get("?method=Mails.sent"), "$.hint"))
                .isEqualTo("no listed call has method 'Mails.sent'");
        assertThat(JsonPath.<String>read(get("?error=ConnectException"), "$.hint"))
                .isEqualTo("no listed call has error 'ConnectException'; did you mean 'java.net.ConnectException'?");
        assertThat(get("?method=Mails.send&text=nothing")).doesNotContain("hint");
    }

    @Test
    void aCallThatCannotBeMadeIsAnsweredSo() {
        start();
        put("a", "Mails.send", "java.io.IOException", 1);

        String answer = text(send(HttpMethod.POST, "/a", "{\"action\": \"resend\"}"), 409);

        assertThat(JsonPath.<String>read(answer, "$.state")).isEqualTo("dead");
        assertThat(JsonPath.<String>read(answer, "$.problem")).contains("(reason 'unresolvable')");
    }

    @Test
    void callsThatNoProcessCanRunAreRefusedWithTheReason() {
        start(WebApplicationType.SERVLET, "unrestricted", 0);
        String id = die("a");

        for (String path : List.of("/" + id, "")) {
            for (String more :
                    path.isEmpty() ? List.of(", \"ids\": \"" + id + "\"", ", \"confirm\": true") : List.of("")) {
                String answer = text(send(HttpMethod.POST, path, "{\"action\": \"resend\"" + more + "}"), 409);
                assertThat(JsonPath.<String>read(answer, "$.problem"))
                        .contains("no running process of this application has threads for stored calls");
            }
        }
        assertThat(status(id)).isEqualTo(State.DEAD);
        assertThat(store.died(id).orElseThrow().actions()).isEmpty();
    }

    @Test
    void hostileTextIsText() {
        start();
        String markup = "</script><img src=x onerror=alert(1)>\u0000\u0007\u202e\"'\\\n\ud83d\ude00";
        DeadLetter plain = letter("plain", "Mails.send", markup, 1);
        store.put(plain);
        store.put(letter("half", "Mails.send", "half a character \ud83d", 2));
        store.put(letter("long", "Mails.send", "x".repeat(10_000_000), 3));
        store.put(letter("edited", "Mails.send", "m", 4).withArguments("[1, {"));

        assertThat(JsonPath.<String>read(get("/plain"), "$.message")).isEqualTo(markup.replace('\u0000', '\uFFFD'));
        assertThat(JsonPath.<String>read(get("/half"), "$.message")).startsWith("half a character ");
        assertThat(JsonPath.<String>read(get("/long"), "$.message")).hasSize(10_000_000);
        assertThat(ids("")).containsExactly("edited", "long", "half", "plain");
    }

    @Test
    void withoutWriteAccessNothingIsChanged() {
        start(WebApplicationType.SERVLET, "read-only");
        put("a", "Mails.send", "java.io.IOException", 1);

        assertThat(send(HttpMethod.POST, "/a", "{\"action\": \"discard\"}")
                        .getStatusCode()
                        .is4xxClientError())
                .isTrue();
        assertThat(ids("")).containsExactly("a");
    }

    private String die(String to) {
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> mails.send(to, "secret"));
        return server.callId;
    }

    private void put(String id, String name, String error, int second) {
        DeadLetter letter = letter(id, name, "down", second);
        store.put(new DeadLetter(
                id,
                name,
                letter.method(),
                null,
                "[]",
                error,
                error,
                "down",
                "trace",
                List.of(),
                1,
                letter.reason(),
                letter.firstFailedAt(),
                letter.diedAt(),
                letter.state(),
                letter.lane(),
                null,
                null,
                List.of()));
    }

    private static DeadLetter letter(String id, String name, String message, int second) {
        Instant at = Instant.parse("2026-01-01T00:00:00Z").plusSeconds(second);
        return new DeadLetter(
                id,
                name,
                "com.acme.Gone#send()",
                null,
                "[]",
                "java.io.IOException",
                "java.io.IOException",
                message,
                message,
                List.of(new StoredCall.Failure(1, "java.io.IOException", message, at)),
                1,
                StopReason.EXHAUSTED,
                at,
                at,
                State.DEAD,
                "default",
                null,
                null,
                List.of());
    }

    private State status(String id) {
        return context.getBean(StoredCalls.class).find(id).orElseThrow().state();
    }

    private List<String> ids(String query) {
        return JsonPath.read(get(query), "$.items[*].id");
    }

    private void start() {
        start(WebApplicationType.SERVLET, "unrestricted");
    }

    private void start(WebApplicationType stack, String access) {
        start(stack, access, 5);
    }

    private void start(WebApplicationType stack, String access, int threads) {
        context = STARTED.computeIfAbsent(stack + " " + access + " " + threads, missing -> run(stack, access, threads));
        store = context.getBean(CallStore.class);
        mails = context.getBean(Mails.class);
        server = context.getBean(MailServer.class);
        server.down = true;
    }

    private static ConfigurableApplicationContext run(WebApplicationType stack, String access, int threads) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(stack);
        return application.run(
                "--server.port=0",
                "--management.endpoints.web.exposure.include=retryoncalls",
                "--management.endpoint.retryoncalls.access=" + access,
                "--management.endpoint.retryoncalls.show-values=when-authorized",
                "--retryon.defaults.backoff=none",
                "--retryon.durable.threads=" + threads,
                "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                "--retryon.jdbc.initialize-schema=always",
                "--spring.main.banner-mode=off",
                "--spring.reactor.netty.shutdown-quiet-period=0s");
    }

    private String get(String path) {
        return text(send(HttpMethod.GET, path, ""), 200);
    }

    private static String text(ResponseEntity<byte[]> response, int status) {
        String text = ActuatorRequest.text(response);
        assertThat(response.getStatusCode().value()).as(text).isEqualTo(status);
        return text;
    }

    private ResponseEntity<byte[]> send(HttpMethod method, String path, String body) {
        return ActuatorRequest.send(port(), method, path(path), body, "operator");
    }

    private static String path(String path) {
        return "/actuator/retryoncalls" + path;
    }

    private int port() {
        return ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    static class MailServer {

        volatile boolean down = true;

        volatile String callId = "";
    }

    static class Mails {

        private final MailServer server;

        Mails(MailServer server) {
            this.server = server;
        }

        @RetryOn(value = IOException.class, maxAttempts = 2)
        @Durable(ON_EXHAUSTION)
        public void send(String to, @Redacted String text) throws IOException {
            server.callId = RetryContext.current().callId();
            if (server.down) {
                throw new IOException("mail server is down");
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Mails.class, MailServer.class, OperatorAccess.class})
    static class Application {}
}
