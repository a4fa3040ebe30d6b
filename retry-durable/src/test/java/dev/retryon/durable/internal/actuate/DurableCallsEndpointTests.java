/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.JsonPath;
import dev.retryon.durable.DeadLetters;
import dev.retryon.durable.internal.call.CallLedger;
import dev.retryon.durable.internal.call.WaitingCalls;
import dev.retryon.durable.internal.store.StoreChoice;
import dev.retryon.spring.Durable;
import dev.retryon.spring.Redacted;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.actuate.ActuatorRequest;
import dev.retryon.spring.internal.actuate.OperatorAccess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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

/** Durable calls that wait, as an operator looks at them, has them made and gives them up, over HTTP. */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class DurableCallsEndpointTests {

    @TempDir
    private Path folder;

    private ConfigurableApplicationContext context;

    @BeforeEach
    void breakDown() {
        Mails.down = true;
        Mails.sent.clear();
    }

    @AfterEach
    void stop() {
        if (context != null) {
            context.close();
        }
    }

    private void start(WebApplicationType stack, String access, String showValues) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(stack);
        context = application.run(
                "--server.port=0",
                "--management.endpoints.web.exposure.include=durablecalls",
                "--management.endpoint.durablecalls.access=" + access,
                "--management.endpoint.durablecalls.show-values=" + showValues,
                "--retryon.defaults.jitter=none",
                "--retryon.durable.store=embedded",
                "--retryon.durable.path=" + folder.resolve("calls.db"),
                "--spring.main.banner-mode=off",
                "--spring.reactor.netty.shutdown-quiet-period=0s");
    }

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void whatWaitsIsListedShownMadeAndGivenUpOnBothStacks(WebApplicationType stack) throws IOException {
        start(stack, "unrestricted", "when-authorized");
        mails().send("ann@shop.example", "secret");
        mails().send("bob@shop.example", "secret");

        String list = get("?method=Mails.send&limit=1");
        assertThat(JsonPath.<Integer>read(list, "$.total")).isEqualTo(2);
        assertThat(JsonPath.<String>read(list, "$.groups[0].error")).isEqualTo("java.io.IOException");
        assertThat(JsonPath.<Integer>read(list, "$.groups[0].count")).isEqualTo(2);
        assertThat(JsonPath.<String>read(list, "$.items[0].status")).isEqualTo("waiting");
        String ann = JsonPath.read(list, "$.items[0].id");
        String bob = JsonPath.read(get("?cursor=" + JsonPath.<String>read(list, "$.next")), "$.items[0].id");
        assertThat(get("?error=java.lang.Error")).contains("\"total\":0");

        String call = get("/" + ann);
        assertThat(JsonPath.<List<String>>read(call, "$.arguments.*"))
                .containsExactly("ann@shop.example", "[redacted]");
        assertThat(JsonPath.<String>read(call, "$.failures[0].message")).isEqualTo("down");
        assertThat(JsonPath.<Integer>read(call, "$.attempts")).isEqualTo(1);

        Mails.down = false;
        assertThat(text(send(HttpMethod.POST, "/" + ann, "{\"action\": \"retry\"}"), 200))
                .contains("\"done\":true");
        await().until(() -> Mails.sent.contains("ann@shop.example"));
        await().until(() -> total() == 1);
        assertThat(text(send(HttpMethod.POST, "/" + ann, "{\"action\": \"retry\"}"), 404))
                .contains("it may have finished, or be a dead letter now");

        text(send(HttpMethod.POST, "/" + bob, "{\"action\": \"give-up\", \"reason\": \"wrong address\"}"), 200);
        assertThat(total()).isZero();
        assertThat(context.getBean(DeadLetters.class).find(bob).orElseThrow().actions())
                .singleElement()
                .satisfies(action -> {
                    assertThat(action.by()).isEqualTo("operator");
                    assertThat(action.detail()).isEqualTo("wrong address");
                });
        assertThat(context.getBean(AuditEventRepository.class).find("operator", null, "RETRYON_DURABLE_CALLS_CHANGED"))
                .extracting(AuditEvent::getData)
                .extracting(data -> data.get("action"))
                .containsExactly("retry", "give-up");
    }

    private int total() {
        return JsonPath.read(get(""), "$.total");
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
        assertThat(get("")).doesNotContain("down");
    }

    @Test
    void whatIsWrongIsAnsweredInWords() throws IOException {
        start(WebApplicationType.SERVLET, "unrestricted", "never");
        mails().send("ann@shop.example", "secret");
        String id = JsonPath.read(get(""), "$.items[0].id");

        assertThat(text(send(HttpMethod.GET, "?metod=x", ""), 400)).contains("did you mean 'method'?");
        assertThat(text(send(HttpMethod.GET, "?limit=501", ""), 400)).contains("limit is '501'");
        assertThat(text(send(HttpMethod.GET, "?cursor=nonsense", ""), 400)).contains("which is not a valid cursor");
        assertThat(text(send(HttpMethod.GET, "?from=yesterday", ""), 400)).contains("must be a time such as");
        assertThat(text(send(HttpMethod.GET, "/none", ""), 404)).contains("no durable call 'none' is waiting");
        assertThat(text(send(HttpMethod.POST, "/" + id, "{}"), 400)).contains("action is missing");
        assertThat(text(send(HttpMethod.POST, "/" + id, "{\"action\": \"discard\"}"), 400))
                .contains("must be one of retry, give-up");
        assertThat(text(send(HttpMethod.POST, "/" + id, "{\"action\": \"retry\", \"reason\": \"x\"}"), 400))
                .contains("'reason' is not known here");
        assertThat(total()).isEqualTo(1);
    }

    @Test
    void aCallThatCannotBeReadIsShownWithoutItsArguments() throws IOException {
        start(WebApplicationType.SERVLET, "read-only", "always");
        mails().send("ann@shop.example", "secret");
        edit("task_data = cast(replace(cast(task_data as text), '\"v\":1', '\"v\":99') as blob)");

        String call = get("/" + JsonPath.<String>read(get(""), "$.items[0].id"));

        assertThat(JsonPath.<String>read(call, "$.problem")).contains("it has format 99");
        assertThat(call).doesNotContain("secret").doesNotContain("ann@shop.example");
    }

    @Test
    void aTimeBeyondAllCalendarsIsListedAsItStandsThere() throws IOException {
        start(WebApplicationType.SERVLET, "read-only", "never");
        mails().send("ann@shop.example", "secret");
        edit("started_at = 253402300800000");

        assertThat(JsonPath.<String>read(get(""), "$.groups[0].oldest")).isEqualTo("+10000-01-01T00:00:00Z");
    }

    @Test
    void whatAnOperatorWritesStaysOnOneLineOfTheLog(CapturedOutput output) throws IOException {
        start(WebApplicationType.SERVLET, "unrestricted", "never");
        mails().send("ann@shop.example", "secret");
        String id = JsonPath.read(get(""), "$.items[0].id");

        text(send(HttpMethod.POST, "/" + id, "{\"action\": \"give-up\", \"reason\": \"x\\r\\nINFO forged\"}"), 200);

        assertThat(output.getAll().lines().filter(line -> line.contains("INFO forged")))
                .singleElement()
                .asString()
                .contains("durable calls changed by operator");
        assertThat(context.getBean(AuditEventRepository.class).find("operator", null, "RETRYON_DURABLE_CALLS_CHANGED"))
                .singleElement()
                .satisfies(event -> assertThat(event.getData()).containsEntry("reason", "x\r\nINFO forged"));
    }

    @Test
    void withoutWriteAccessNothingIsChanged() throws IOException {
        start(WebApplicationType.SERVLET, "read-only", "never");
        mails().send("ann@shop.example", "secret");
        String id = JsonPath.read(get(""), "$.items[0].id");

        assertThat(send(HttpMethod.POST, "/" + id, "{\"action\": \"give-up\"}")
                        .getStatusCode()
                        .is4xxClientError())
                .isTrue();
        assertThat(total()).isEqualTo(1);
    }

    @Test
    void aStoreThatDoesNotAnswerIsAnsweredInWords() {
        start(WebApplicationType.SERVLET, "read-only", "never");
        CallLedger ledger = context.getBean(WaitingCalls.class).ledger();
        assertThat(ledger.count(new CallLedger.Filter(null, null, null, null, null, null)))
                .isZero();
        context.getBean(StoreChoice.class)
                .get()
                .jdbc()
                .sql("alter table retryon_call rename to gone")
                .update();

        assertThat(text(send(HttpMethod.GET, "", ""), 503)).contains("the store of durable calls did not respond");
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

    private ResponseEntity<byte[]> send(HttpMethod method, String path, String body) {
        int port = ((WebServerApplicationContext) context).getWebServer().getPort();
        return ActuatorRequest.send(port, method, "/actuator/durablecalls" + path, body, "operator");
    }

    static class Mails {

        private static volatile boolean down;

        private static final List<String> sent = new CopyOnWriteArrayList<>();

        @RetryOn(
                value = IOException.class,
                maxAttempts = 3,
                delay = "1h",
                maxDelay = "1d",
                durable = Durable.ON_FAILURE)
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
