// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.JsonPath;
import dev.retryon.durable.Durable;
import dev.retryon.durable.Redacted;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.store.StoreChoice;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.actuate.ActuatorRequest;
import dev.retryon.spring.internal.actuate.OperatorAccess;
import dev.retryon.spring.module.NodeName;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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
import org.springframework.jdbc.core.simple.JdbcClient;

/** Durable calls that wait, as an operator looks at them, has them made and gives them up, over HTTP. */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class WaitingCallsEndpointTests {

    /** A start takes long: an application serves all tests that need one like it. */
    private static final Map<String, ConfigurableApplicationContext> SHARED = new HashMap<>();

    @TempDir
    private static Path folder;

    private ConfigurableApplicationContext context;

    @BeforeEach
    void breakDown() {
        Mails.down = true;
        Mails.sent.clear();
    }

    @AfterEach
    void stop() {
        JdbcClient jdbc = context.getBean(StoreChoice.class).get().jdbc();
        jdbc.sql("delete from retryon_call").update();
    }

    @AfterAll
    static void stopShared() {
        SHARED.values().forEach(ConfigurableApplicationContext::close);
        SHARED.clear();
    }

    private void start(WebApplicationType stack, String access, String showValues) {
        context = SHARED.computeIfAbsent(
                stack + " " + access + " " + showValues, missing -> run(stack, access, showValues));
    }

    private static ConfigurableApplicationContext run(WebApplicationType stack, String access, String showValues) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(stack);
        return application.run(
                "--server.port=0",
                "--management.endpoints.web.exposure.include=retryoncalls",
                "--management.endpoint.retryoncalls.access=" + access,
                "--management.endpoint.retryoncalls.show-values=" + showValues,
                "--retryon.defaults.jitter=none",
                "--spring.application.version=2.1",
                "--retryon.durable.store=embedded",
                "--retryon.durable.outbox-apart=true",
                "--retryon.durable.lanes.mail.max-per-second=0.5",
                "--retryon.durable.path=" + folder.resolve(UUID.randomUUID() + ".db"),
                "--spring.main.banner-mode=off",
                "--spring.reactor.netty.shutdown-quiet-period=0s");
    }

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void whatWaitsIsListedShownMadeAndGivenUpOnBothStacks(WebApplicationType stack) throws IOException {
        start(stack, "unrestricted", "when-authorized");
        Instant start = Instant.now();
        mails().send("ann@shop.example", "secret");
        Instant stored = Instant.now().plusMillis(1);
        await().until(() -> Instant.now().isAfter(stored)); // the list is in the order of milliseconds
        mails().send("bob@shop.example", "secret");

        String list = get("?method=Mails.send&limit=1");
        assertThat(JsonPath.<Integer>read(list, "$.total")).isEqualTo(2);
        assertThat(JsonPath.<String>read(list, "$.groups[0].error")).isEqualTo("java.io.IOException");
        assertThat(JsonPath.<Integer>read(list, "$.groups[0].count")).isEqualTo(2);
        assertThat(JsonPath.<String>read(list, "$.items[0].state")).isEqualTo("waiting");
        assertThat(list)
                .contains("{\"lane\":\"mail\",\"waiting\":0,\"lag\":\"PT0S\",\"state\":\"open\",\"maxPerSecond\":0.5}");
        assertThat(JsonPath.<List<Map<String, Object>>>read(list, "$.nodes"))
                .singleElement()
                .satisfies(node -> assertThat(node)
                        .containsEntry("node", NodeName.get())
                        .containsEntry("version", "2.1")
                        .containsEntry("thisNode", true)
                        .containsEntry("alive", true)
                        .containsEntry("threads", 5)
                        .containsEntry("busy", 0)
                        .containsEntry("lanes", List.of(Map.of("lane", "default", "threads", 5, "busy", 0)))
                        .containsKeys("startedAt", "lastSeen"));
        String ann = JsonPath.read(list, "$.items[0].id");
        String bob = JsonPath.read(get("?cursor=" + JsonPath.<String>read(list, "$.next")), "$.items[0].id");
        assertThat(get("?error=java.lang.Error")).contains("\"total\":0");

        String call = get("/" + ann);
        assertThat(JsonPath.<List<String>>read(call, "$.arguments.*"))
                .containsExactly("ann@shop.example", "[redacted]");
        assertThat(JsonPath.<String>read(call, "$.failures[0].message")).isEqualTo("down");
        assertThat(JsonPath.<Integer>read(call, "$.attempts")).isEqualTo(1);

        Mails.down = false;
        assertThat(text(send(HttpMethod.POST, "/" + ann, "{\"action\": \"run-now\"}"), 200))
                .contains("\"done\":true");
        await().until(() -> Mails.sent.contains("ann@shop.example"));
        await().until(() -> total() == 1);
        assertThat(text(send(HttpMethod.POST, "/" + ann, "{\"action\": \"run-now\"}"), 404))
                .contains("the call might have succeeded");

        text(send(HttpMethod.POST, "/" + bob, "{\"action\": \"give-up\", \"reason\": \"wrong address\"}"), 200);
        assertThat(total()).isZero();
        assertThat(context.getBean(StoredCalls.class).find(bob).orElseThrow().actions())
                .singleElement()
                .satisfies(action -> {
                    assertThat(action.by()).isEqualTo("operator");
                    assertThat(action.detail()).isEqualTo("wrong address");
                });
        assertThat(context.getBean(AuditEventRepository.class).find("operator", start, "RETRYON_CALLS_CHANGED"))
                .extracting(AuditEvent::getData)
                .extracting(data -> data.get("action"))
                .containsExactly("run-now", "give-up");
    }

    private int total() {
        return JsonPath.read(get("?state=waiting,running"), "$.total");
    }

    @Test
    void aBlockedCallShowsTheOneForWhichItWaits() throws IOException {
        start(WebApplicationType.SERVLET, "unrestricted", "when-authorized");
        assertThat(get("")).doesNotContain("\"blocked\"");
        mails().publish("17", "placed");
        mails().publish("17", "paid");

        String list = get("?state=blocked");
        assertThat(JsonPath.<Integer>read(list, "$.total")).isOne();
        assertThat(JsonPath.<Integer>read(list, "$.blocked.keys")).isOne();
        assertThat(JsonPath.<Integer>read(list, "$.blocked.calls")).isOne();
        assertThat(JsonPath.<String>read(list, "$.blocked.oldest")).isNotEmpty();
        String blocked = JsonPath.read(list, "$.items[0].id");
        String first = JsonPath.read(get("/" + blocked), "$.waitsFor");
        assertThat(JsonPath.<String>read(get("/" + first), "$.arguments.event")).isEqualTo("placed");
        assertThat(text(send(HttpMethod.POST, "/" + blocked, "{\"action\": \"give-up\"}"), 409))
                .contains("the call is blocked, but only a waiting call can be given up");
    }

    @Test
    void callsInAllStatesAreOneList() throws IOException {
        start(WebApplicationType.SERVLET, "unrestricted", "when-authorized");
        for (int i = 0; i < 5; i++) {
            mails().send("ann" + i + "@shop.example", "secret");
        }
        List<String> ids = JsonPath.read(get("?state=waiting"), "$.items[*].id");
        text(post("{\"action\": \"give-up\", \"ids\": \"" + ids.get(0) + "," + ids.get(1) + "\"}"), 200);
        text(send(HttpMethod.POST, "/" + ids.get(1), "{\"action\": \"discard\"}"), 200);

        assertThat(get("")).contains("\"total\":4");
        assertThat(pages("state=all")).containsExactly("dead", "waiting", "waiting", "waiting", "discarded");
        assertThat(pages("")).containsExactly("dead", "waiting", "waiting", "waiting");
        assertThat(pages("lane=default")).containsExactly("dead", "waiting", "waiting", "waiting");
        assertThat(pages("state=running,resolved")).isEmpty();
        assertThat(JsonPath.<List<String>>read(get("?state=all"), "$.groups[*].state"))
                .containsExactly("waiting", "dead", "discarded");
        assertThat(get("?state=dead")).doesNotContain("\"lanes\"", "\"nodes\"", "\"paused\"");
        assertThat(get("?lane=default&state=dead")).contains("\"total\":1", "\"lane\":\"default\"");
        assertThat(get("?lane=mail&state=dead")).contains("\"total\":0");
        assertThat(text(send(HttpMethod.GET, "?cursor=gone.x", ""), 400)).contains("which is not a valid cursor");
    }

    /** The states of the calls of a list, read in pages of one call. */
    private List<String> pages(String filter) {
        List<String> states = new ArrayList<>();
        String cursor = "";
        do {
            String page = get("?limit=1&" + filter + cursor);
            states.addAll(JsonPath.<List<String>>read(page, "$.items[*].state"));
            cursor = page.contains("\"next\"") ? "&cursor=" + JsonPath.<String>read(page, "$.next") : "";
        } while (!cursor.isEmpty());
        return states;
    }

    @Test
    void anActThatTheStateDoesNotAllowIsRefused() throws IOException {
        start(WebApplicationType.SERVLET, "unrestricted", "when-authorized");
        mails().send("ann@shop.example", "secret");
        String id = JsonPath.read(get(""), "$.items[0].id");

        assertThat(text(send(HttpMethod.POST, "/" + id, "{\"action\": \"resend\"}"), 409))
                .contains("the call is waiting, but only a dead call can be resent");
        assertThat(text(send(HttpMethod.POST, "/" + id, "{\"action\": \"discard\"}"), 409))
                .contains("\"state\":\"waiting\"");
        assertThat(text(send(HttpMethod.POST, "/" + id, "{\"action\": \"give-up\"}"), 200))
                .contains("\"state\":\"dead\"");
        assertThat(text(send(HttpMethod.POST, "/" + id, "{\"action\": \"run-now\"}"), 409))
                .contains("the call is dead, but only a waiting call can be run now");
        assertThat(text(send(HttpMethod.POST, "/" + id, "{\"action\": \"give-up\"}"), 409))
                .contains("only a waiting call can be given up");
    }

    @Test
    void aCallThatWasResentWaitsWithWhatWasDone() throws IOException {
        start(WebApplicationType.SERVLET, "unrestricted", "when-authorized");
        mails().send("ann@shop.example", "secret");
        String id = JsonPath.read(get(""), "$.items[0].id");
        text(send(HttpMethod.POST, "/" + id, "{\"action\": \"give-up\"}"), 200);

        assertThat(text(send(HttpMethod.POST, "/" + id, "{\"action\": \"resend\", \"delay\": \"1h\"}"), 200))
                .contains("\"state\":\"waiting\"");

        String call = get("/" + id);
        assertThat(JsonPath.<String>read(call, "$.state")).isEqualTo("waiting");
        assertThat(JsonPath.<List<String>>read(call, "$.actions[*].what")).containsExactly("died", "resent");
        assertThat(call).contains("\"diedAt\"", "\"due\"");
        assertThat(pages("state=all")).containsExactly("waiting");
    }

    @Test
    void argumentsAndMessagesAreHiddenUnlessTheApplicationSaysOtherwise() throws IOException {
        start(WebApplicationType.SERVLET, "unrestricted", "never");
        mails().send("ann@shop.example", "secret");

        String id = JsonPath.read(get(""), "$.items[0].id");
        assertThat(get("/" + id))
                .contains("\"arguments\":\"******\"")
                .contains("\"message\":\"******\"")
                .doesNotContain("ann@shop.example");
        assertThat(get("")).doesNotContain("down").doesNotContain("arguments");
    }

    @Test
    void aListHasTheBeginningOfTheArguments() throws IOException {
        start(WebApplicationType.SERVLET, "unrestricted", "when-authorized");
        mails().send("ann@shop.example", "secret");

        String list = get("");
        assertThat(JsonPath.<String>read(list, "$.items[0].arguments"))
                .isEqualTo("to: \"ann@shop.example\", text: [redacted]");
        ResponseEntity<byte[]> ofOthers =
                ActuatorRequest.send(port(), HttpMethod.GET, "/actuator/retryoncalls", "", "");
        assertThat(text(ofOthers, 200)).contains("Mails.send").doesNotContain("arguments");

        send(HttpMethod.POST, "/" + JsonPath.<String>read(list, "$.items[0].id"), "{\"action\": \"give-up\"}");
        assertThat(JsonPath.<String>read(get("?state=dead"), "$.items[0].arguments"))
                .isEqualTo("to: \"ann@shop.example\", text: [redacted]");
    }

    @Test
    void largeArgumentsOfManyCallsAreCutInAList() throws IOException {
        start(WebApplicationType.SERVLET, "read-only", "always");
        String large = "x".repeat(60_000);
        for (int i = 0; i < 1000; i++) {
            mails().send(i + large, "secret");
        }

        String list = get("?limit=500");
        assertThat(list.length()).isLessThan(500 * 1000);
        List<String> lines = JsonPath.read(list, "$.items[*].arguments");
        assertThat(lines).hasSize(500).allMatch(line -> line.matches("to: \"\\d+x+…") && line.length() == 201);
        assertThat(JsonPath.<List<String>>read(
                        get("?limit=500&cursor=" + JsonPath.<String>read(list, "$.next")), "$.items[*].arguments"))
                .hasSize(500);
    }

    /** It is not known which of them are redacted. */
    @Test
    void aListHasOnlyTheNamesOfArgumentsOfAnUnknownMethod() throws IOException {
        start(WebApplicationType.SERVLET, "read-only", "always");
        mails().send("ann@shop.example", "secret");
        edit("task_data = cast(replace(cast(task_data as text), '#send', '#gone') as blob)");

        assertThat(JsonPath.<String>read(get(""), "$.items[0].arguments"))
                .isEqualTo("to: [redacted], text: [redacted]");
    }

    @Test
    void whatIsWrongIsAnsweredInWords() throws IOException {
        start(WebApplicationType.SERVLET, "unrestricted", "never");
        mails().send("ann@shop.example", "secret");
        String id = JsonPath.read(get(""), "$.items[0].id");

        assertThat(text(send(HttpMethod.GET, "?metod=x", ""), 400)).contains("'metod' is not a known parameter");
        assertThat(text(send(HttpMethod.GET, "?limit=501", ""), 400)).contains("limit is '501'");
        assertThat(text(send(HttpMethod.GET, "?cursor=nonsense", ""), 400)).contains("which is not a valid cursor");
        assertThat(text(send(HttpMethod.GET, "?from=yesterday", ""), 400)).contains("must be a time such as");
        assertThat(text(send(HttpMethod.GET, "/none", ""), 404)).contains("no stored call has the id 'none'");
        assertThat(text(send(HttpMethod.POST, "/" + id, "{}"), 400)).contains("action is missing");
        assertThat(text(send(HttpMethod.POST, "/" + id, "{\"action\": \"retry\"}"), 400))
                .contains("must be one of run-now, give-up");
        assertThat(text(send(HttpMethod.POST, "/" + id, "{\"action\": \"run-now\", \"reason\": \"x\"}"), 400))
                .contains("'reason' is not a known parameter");
        assertThat(total()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void manyCallsAreRetriedAndGivenUp(WebApplicationType stack) throws IOException {
        // In an application without earlier tasks.
        start(stack, "unrestricted", "when-authorized");
        Instant start = Instant.now();
        for (int i = 0; i < 5; i++) {
            mails().send("ann" + i + "@shop.example", "secret");
        }
        String filter = "\"method\": \"Mails.send\", \"lane\": \"default\"";

        String dry = text(post("{\"action\": \"give-up\", " + filter + ", \"dryRun\": true}"), 200);
        assertThat(JsonPath.<Integer>read(dry, "$.matched")).isEqualTo(5);
        assertThat(JsonPath.<String>read(dry, "$.state")).isEqualTo("dry_run");
        assertThat(get("")).contains("\"total\":5").doesNotContain("\"task\"");

        String ids = JsonPath.<List<String>>read(get("?limit=2"), "$.items[*].id").stream()
                .collect(Collectors.joining(","));
        String selected =
                text(post("{\"action\": \"give-up\", \"reason\": \"moved\", \"ids\": \"" + ids + ",none\"}"), 200);
        assertThat(JsonPath.<List<String>>read(selected, "$.moved")).hasSize(2);
        assertThat(JsonPath.<List<String>>read(selected, "$.skipped")).containsExactly("none");
        assertThat(total()).isEqualTo(3);

        Mails.down = false;
        String before = JsonPath.read(dry, "$.before");
        String task = text(
                post("{\"action\": \"run-now\", " + filter + ", \"before\": \"" + before
                        + "\", \"maxPerSecond\": 100, \"confirm\": true}"),
                202);
        assertThat(JsonPath.<Integer>read(task, "$.matched")).isEqualTo(3);
        assertThat(JsonPath.<String>read(task, "$.action")).isEqualTo("run-now");
        await().until(() -> JsonPath.<String>read(get(""), "$.task.state").equals("done"));
        assertThat(JsonPath.<Integer>read(get(""), "$.task.moved")).isEqualTo(3);
        await().until(() -> total() == 0);
        assertThat(Mails.sent).hasSize(3);
        assertThat(text(post("{\"action\": \"cancel\"}"), 409)).contains("no task is running");
        assertThat(context.getBean(AuditEventRepository.class).find("operator", start, "RETRYON_CALLS_CHANGED"))
                .extracting(AuditEvent::getData)
                .extracting(data -> data.get("action"))
                .containsExactly("give-up", "run-now");
    }

    @Test
    void aTaskIsCancelledAndRunsAlone() throws IOException {
        start(WebApplicationType.SERVLET, "unrestricted", "never");
        for (int i = 0; i < 10; i++) {
            mails().send("ann" + i + "@shop.example", "secret");
        }
        String slow = "{\"action\": \"give-up\", \"maxPerSecond\": 1, \"confirm\": true}";

        text(post(slow), 202);
        assertThat(text(post(slow), 409)).contains("is running; wait until it ends, or cancel it");
        text(post("{\"action\": \"cancel\"}"), 200);
        await().until(() -> JsonPath.<String>read(get(""), "$.task.state").equals("cancelled"));
        assertThat(total()).isPositive();
    }

    @Test
    void whatIsWrongWithARequestForManyIsAnsweredInWords() throws IOException {
        start(WebApplicationType.SERVLET, "unrestricted", "never");
        mails().send("ann@shop.example", "secret");

        assertThat(text(post("{\"action\": \"run-now\"}"), 400)).contains("confirm is 'false'");
        assertThat(text(post("{\"action\": \"run-now\", \"lane\": \"\", \"confirm\": true}"), 400))
                .contains("'lane' has no value");
        assertThat(text(post("{\"action\": \"run-now\", \"lan\": \"mail\", \"confirm\": true}"), 400))
                .contains("'lan' is not a known parameter");
        assertThat(text(post("{\"action\": \"run-now\", \"reason\": \"x\", \"confirm\": true}"), 400))
                .contains("'reason' is only allowed with the actions give-up and discard");
        assertThat(text(post("{\"action\": \"give-up\", \"maxPerSecond\": 0, \"confirm\": true}"), 400))
                .contains("maxPerSecond is '0', but must be a whole number from 1 to 10000");
        assertThat(text(post("{\"action\": \"give-up\", \"from\": \"yesterday\", \"confirm\": true}"), 400))
                .contains("must be a time such as");
        assertThat(text(post("{\"action\": \"give-up\", \"ids\": \"a\", \"confirm\": true}"), 400))
                .contains("'confirm' is not a known parameter");
        assertThat(text(post("{\"action\": \"give-up\", \"ids\": \",\"}"), 400)).contains("'ids' has 0 entries");
        assertThat(text(post("{\"action\": \"cancel\", \"lane\": \"mail\"}"), 400))
                .contains("'lane' is not a known parameter");
        assertThat(text(post("{\"action\": \"retry\"}"), 400))
                .contains("must be one of run-now, give-up, resend, discard, cancel, pause, resume");
        assertThat(total()).isEqualTo(1);
    }

    private ResponseEntity<byte[]> post(String body) {
        return send(HttpMethod.POST, "", body);
    }

    @Test
    void aCallThatCannotBeReadIsShownWithoutItsArguments() throws IOException {
        start(WebApplicationType.SERVLET, "read-only", "always");
        mails().send("ann@shop.example", "secret");
        edit("task_data = cast(replace(cast(task_data as text), '\"v\":1', '\"v\":99') as blob)");

        String call = get("/" + JsonPath.<String>read(get(""), "$.items[0].id"));

        assertThat(JsonPath.<String>read(call, "$.problem")).contains("it has format 99");
        assertThat(call).doesNotContain("secret").doesNotContain("ann@shop.example");
        assertThat(get("")).contains("Mails.send").doesNotContain("arguments");
    }

    @Test
    void aTimeBeyondAllCalendarsIsListedAsItStandsThere() throws IOException {
        start(WebApplicationType.SERVLET, "read-only", "always");
        mails().send("ann@shop.example", "secret");
        edit("started_at = 253402300800000");

        assertThat(JsonPath.<String>read(get(""), "$.groups[0].oldest")).isEqualTo("+10000-01-01T00:00:00Z");
    }

    @Test
    void whatAnOperatorWritesStaysOnOneLineOfTheLog(CapturedOutput output) throws IOException {
        start(WebApplicationType.SERVLET, "unrestricted", "never");
        Instant start = Instant.now();
        mails().send("ann@shop.example", "secret");
        String id = JsonPath.read(get(""), "$.items[0].id");

        text(send(HttpMethod.POST, "/" + id, "{\"action\": \"give-up\", \"reason\": \"x\\r\\nINFO forged\"}"), 200);

        assertThat(output.getAll().lines().filter(line -> line.contains("INFO forged")))
                .singleElement()
                .asString()
                .contains("stored calls changed by operator");
        assertThat(context.getBean(AuditEventRepository.class).find("operator", start, "RETRYON_CALLS_CHANGED"))
                .singleElement()
                .satisfies(event -> assertThat(event.getData()).containsEntry("reason", "x\r\nINFO forged"));
    }

    @Test
    void withoutWriteAccessNothingIsChanged() throws IOException {
        start(WebApplicationType.SERVLET, "read-only", "always");
        mails().send("ann@shop.example", "secret");
        String id = JsonPath.read(get(""), "$.items[0].id");

        assertThat(send(HttpMethod.POST, "/" + id, "{\"action\": \"give-up\"}")
                        .getStatusCode()
                        .is4xxClientError())
                .isTrue();
        assertThat(post("{\"action\": \"give-up\", \"confirm\": true}")
                        .getStatusCode()
                        .is4xxClientError())
                .isTrue();
        assertThat(total()).isEqualTo(1);
    }

    @Test
    void aStoreThatDoesNotAnswerIsAnsweredInWords() {
        start(WebApplicationType.SERVLET, "read-only", "always");
        CallStore ledger = context.getBean(CallStore.class);
        assertThat(ledger.count(StoredCalls.Filter.of(State.WAITING, State.RUNNING)))
                .isZero();
        JdbcClient jdbc = context.getBean(StoreChoice.class).get().jdbc();
        jdbc.sql("alter table retryon_call rename to gone").update();
        try {
            assertThat(text(send(HttpMethod.GET, "", ""), 503)).contains("the store of stored calls did not respond");
        } finally {
            jdbc.sql("alter table gone rename to retryon_call").update();
        }
    }

    /** As somebody does who looks after the database. */
    private void edit(String assignment) {
        context.getBean(StoreChoice.class)
                .get()
                .jdbc()
                .sql("update retryon_call set " + assignment)
                .update();
    }

    private Mails mails() {
        return context.getBean(Mails.class);
    }

    private String get(String path) {
        return text(send(HttpMethod.GET, path, ""), 200);
    }

    private static String text(ResponseEntity<byte[]> response, int status) {
        String text = ActuatorRequest.text(response);
        assertThat(response.getStatusCode().value()).as(text).isEqualTo(status);
        return text;
    }

    private int port() {
        return ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    private ResponseEntity<byte[]> send(HttpMethod method, String path, String body) {
        return ActuatorRequest.send(port(), method, "/actuator/retryoncalls" + path, body, "operator");
    }

    static class Mails {

        private static volatile boolean down;

        private static final List<String> sent = new CopyOnWriteArrayList<>();

        @RetryOn(value = IOException.class, maxAttempts = 3, delay = "1h", maxDelay = "1d")
        @Durable(value = OUTBOX, orderKey = "#order")
        public void publish(String order, String event) throws IOException {
            if (down) {
                throw new IOException("down");
            }
        }

        @RetryOn(value = IOException.class, maxAttempts = 3, delay = "1h", maxDelay = "1d")
        @Durable(ON_FAILURE)
        public void send(String to, @Redacted String text) throws IOException {
            if (down) {
                throw new IOException("down");
            }
            sent.add(to);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Mails.class, OperatorAccess.class})
    static class Application {}
}
