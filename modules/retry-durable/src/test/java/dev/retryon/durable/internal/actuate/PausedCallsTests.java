// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.actuate;

import static dev.retryon.durable.DurableMode.OFF;
import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.retryon.RetryContext;
import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.actuate.ActuatorRequest;
import dev.retryon.spring.internal.actuate.OperatorAccess;
import dev.retryon.spring.internal.control.RuntimeSettings;
import dev.retryon.spring.module.ChangesForAllNodes;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Operators pause and resume durable calls, over HTTP. */
@Tag("slow")
class PausedCallsTests {

    private static final String SHARED_URL = newUrl();

    private static @Nullable ConfigurableApplicationContext shared;

    private String url = newUrl();

    private final List<ConfigurableApplicationContext> nodes = new ArrayList<>();

    @BeforeEach
    void reset() {
        Jobs.done.clear();
        Jobs.down = false;
    }

    @AfterEach
    void stop() {
        nodes.forEach(ConfigurableApplicationContext::close);
        if (shared != null) {
            // Before anything is resumed, because a call that waits would run in the next test.
            JdbcClient.create(shared.getBean(DataSource.class))
                    .sql("delete from retryon_call")
                    .update();
            ChangesForAllNodes changes = shared.getBean(ChangesForAllNodes.class);
            shared.getBean(RuntimeSettings.class)
                    .changes()
                    .forEach(change -> changes.takeBack(
                            change.target().scope(), change.target().name(), null));
        }
    }

    private static String newUrl() {
        return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    }

    @AfterAll
    static void stopShared() {
        if (shared != null) {
            shared.close();
            shared = null;
        }
    }

    private ConfigurableApplicationContext start() {
        return start("unrestricted");
    }

    /** An application for all tests that do not close it, because a start takes long. */
    private ConfigurableApplicationContext shared() {
        url = SHARED_URL;
        if (shared == null) {
            shared = start();
            nodes.remove(shared);
        }
        return shared;
    }

    private ConfigurableApplicationContext start(String access) {
        ConfigurableApplicationContext node = new SpringApplication(Application.class)
                .run(
                        "--server.port=0",
                        "--management.endpoints.web.exposure.include=retryoncalls",
                        "--management.endpoint.retryoncalls.access=" + access,
                        "--spring.datasource.url=" + url,
                        "--spring.main.banner-mode=off",
                        "--retryon.jdbc.initialize-schema=always",
                        "--retryon.jdbc.shared-settings.poll-interval=100ms",
                        "--retryon.durable.poll-interval=50ms",
                        "--retryon.durable.threads=1",
                        "--retryon.durable.lanes.mail.threads=1");
        nodes.add(node);
        return node;
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(5));
    }

    /** Long enough for several looks for due calls. */
    private static void assertThatNothingElseRuns(String... done) {
        await().during(Duration.ofMillis(300)).until(() -> List.of(done).equals(Jobs.done));
    }

    private static Jobs jobs(ConfigurableApplicationContext node) {
        return node.getBean(Jobs.class);
    }

    @Test
    void callsOfAPausedMethodWaitWithTheirFirstAttemptsAndOthersRun() {
        ConfigurableApplicationContext node = shared();
        Instant start = Instant.now();
        String paused = post(node, "{\"action\": \"pause\", \"method\": \"Jobs.pay\", \"for\": \"1h\"}", 200);
        assertThat(JsonPath.<Map<String, String>>read(paused, "$.settings")).isEqualTo(Map.of("paused", "true"));
        assertThat(JsonPath.<String>read(paused, "$.until")).isNotNull();
        for (int i = 0; i < 30; i++) {
            jobs(node).pay("later");
        }
        jobs(node).work("now");

        await().until(() -> Jobs.done.contains("now 1"));
        assertThatNothingElseRuns("now 1");
        String list = list(node);
        assertThat(JsonPath.<List<String>>read(list, "$.paused[*].path")).containsExactly("Jobs.pay");
        assertThat(JsonPath.<List<String>>read(list, "$.paused[*].by")).containsExactly("operator");
        assertThat(JsonPath.<List<Integer>>read(list, "$.items[*].attempts")).containsOnly(0);
        assertThat(JsonPath.<List<String>>read(list, "$.lanes[*].state")).containsExactly("partly-paused", "open");
        assertThat(JsonPath.<List<Integer>>read(list, "$.lanes[*].waiting")).containsExactly(30, 0);

        assertThat(send(node, HttpMethod.POST, "{\"action\": \"resume\", \"method\": \"Jobs.pay\"}")
                        .getStatusCode()
                        .value())
                .isEqualTo(204);
        await().until(() -> Jobs.done.size() == 31);
        // Waiting is no attempt.
        assertThat(Jobs.done).filteredOn(line -> line.startsWith("later")).containsOnly("later 1");
        assertThat(JsonPath.<List<Object>>read(list(node), "$.paused")).isEmpty();
        assertThat(node.getBean(AuditEventRepository.class).find("operator", start, "RETRYON_CALLS_CHANGED"))
                .extracting(AuditEvent::getData)
                .extracting(data -> data.get("action") + " " + data.get("method"))
                .containsExactly("pause Jobs.pay", "resume Jobs.pay");
    }

    @Test
    void retriesOfAPausedMethodWait() throws IOException {
        ConfigurableApplicationContext node = shared();
        post(node, "{\"action\": \"pause\", \"method\": \"Jobs.ship\"}", 200);
        Jobs.down = true;
        jobs(node).ship("1");
        Jobs.down = false;

        assertThatNothingElseRuns();
        post(node, "{\"action\": \"resume\", \"method\": \"Jobs.ship\"}", 204);
        await().until(() -> Jobs.done.contains("1 2"));
    }

    @Test
    void aLaneHasTheLagOfItsFirstDueCall() {
        ConfigurableApplicationContext node = shared();
        JdbcClient jdbc = JdbcClient.create(node.getBean(DataSource.class));
        post(node, "{\"action\": \"pause\", \"lane\": \"mail\"}", 200);
        jobs(node).mail("first");
        jdbc.sql("update retryon_call set execution_time = dateadd(minute, -10, execution_time)")
                .update();
        jobs(node).mail("second");

        assertThat(lane(node, "mail")).containsEntry("waiting", 2);
        assertThat(lag(node, "mail")).isBetween(Duration.ofMinutes(10), Duration.ofMinutes(11));
        assertThat(lane(node, "default")).containsEntry("waiting", 0).containsEntry("lag", "PT0S");

        // Default threads run the calls of a lane that was removed.
        jdbc.sql("update retryon_call set lane = 'former'").update();
        assertThat(lane(node, "mail")).containsEntry("waiting", 0).containsEntry("lag", "PT0S");
        assertThat(lane(node, "default")).containsEntry("waiting", 2);
        assertThat(lag(node, "default")).isBetween(Duration.ofMinutes(10), Duration.ofMinutes(11));
    }

    private static Map<String, Object> lane(ConfigurableApplicationContext node, String name) {
        return JsonPath.<List<Map<String, Object>>>read(list(node), "$.lanes[?(@.lane == '" + name + "')]")
                .get(0);
    }

    private static Duration lag(ConfigurableApplicationContext node, String lane) {
        return Duration.parse((String) lane(node, lane).get("lag"));
    }

    @Test
    void aPausedLaneEndsByItself() {
        ConfigurableApplicationContext node = shared();
        post(node, "{\"action\": \"pause\", \"lane\": \"mail\", \"for\": \"2s\"}", 200);
        jobs(node).mail("mail");
        jobs(node).letter("letter");
        jobs(node).work("work");

        await().until(() -> Jobs.done.contains("work 1"));
        assertThatNothingElseRuns("work 1");
        await().until(() -> Jobs.done.size() == 3);
    }

    @Test
    void theDefaultLaneCanBePaused() {
        ConfigurableApplicationContext node = shared();
        post(node, "{\"action\": \"pause\", \"lane\": \"default\"}", 200);
        jobs(node).work("work");
        jobs(node).mail("mail");

        await().until(() -> Jobs.done.contains("mail 1"));
        assertThatNothingElseRuns("mail 1");
        assertThat(JsonPath.<List<String>>read(list(node), "$.lanes[*].state")).containsExactly("paused", "open");
    }

    @Test
    void aPauseForAllNodesAppliesToAllAndToThoseThatStartLater() {
        ConfigurableApplicationContext one = shared();
        ConfigurableApplicationContext other = start();
        assertThat(post(one, "{\"action\": \"pause\", \"lane\": \"mail\"}", 200))
                .contains("\"scope\":\"all\"");
        await().until(() ->
                !JsonPath.<List<Object>>read(list(other), "$.paused").isEmpty());
        assertThat(JsonPath.<List<String>>read(list(other), "$.scopes")).containsExactly("node", "all");
        jobs(one).mail("1");
        jobs(other).mail("2");
        ConfigurableApplicationContext third = start();
        assertThatNothingElseRuns();
        assertThat(post(third, "{\"action\": \"resume\", \"lane\": \"mail\", \"scope\": \"node\"}", 404))
                .contains("'mail' is not paused with scope 'node'");

        post(third, "{\"action\": \"resume\", \"lane\": \"mail\"}", 204);
        await().until(() -> Jobs.done.size() == 2);
        await().until(() -> JsonPath.<List<Object>>read(list(one), "$.paused").isEmpty());
    }

    @Test
    void anApplicationWithPausedCallsClosesAtOnceAndLosesNone() {
        ConfigurableApplicationContext node = start();
        post(node, "{\"action\": \"pause\", \"lane\": \"mail\"}", 200);
        for (int i = 0; i < 20; i++) {
            jobs(node).mail("mail");
        }
        assertThatNothingElseRuns();
        node.close();

        // The pause applies to nodes that start later.
        ConfigurableApplicationContext next = start();
        assertThatNothingElseRuns();
        post(next, "{\"action\": \"resume\", \"lane\": \"mail\"}", 204);
        await().until(() -> Jobs.done.size() == 20);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}|400|action is missing; send JSON such as",
                "{\"action\": \"stop\"}|400|must be one of run-now, give-up, resend, discard, cancel, pause, resume",
                "{\"action\": \"pause\"}|400|the request must have either a method or a lane",
                "{\"action\": \"pause\", \"lane\": \"mail\", \"method\": \"Jobs.pay\"}|400|either a method or a lane",
                "{\"action\": \"pause\", \"lane\": \"\"}|400|'lane' has no value",
                "{\"action\": \"pause\", \"lane\": null}|400|'lane' has no value",
                "{\"action\": \"pause\", \"lane\": \"mial\"}|400|no method stores its calls in 'lanes/mial'",
                "{\"action\": \"pause\", \"lane\": \"' or 1=1\"}|400|no method stores its calls",
                "{\"action\": \"pause\", \"method\": \"Jobs.pays\"}|400|no retry is named 'Jobs.pays'",
                "{\"action\": \"pause\", \"method\": \"Jobs.plain\"}|400|'Jobs.plain' cannot be paused, because its calls"
                        + " are not stored",
                "{\"action\": \"pause\", \"lane\": \"mail\", \"for\": \"-1s\"}|400|for is '-1s'",
                "{\"action\": \"pause\", \"lane\": \"mail\", \"for\": \"soon\"}|400|for",
                "{\"action\": \"pause\", \"lane\": \"mail\", \"scope\": \"world\"}|400|scope is 'world'",
                "{\"action\": \"pause\", \"lane\": \"mail\", \"scope\": \"node\"}|400|omit the scope, or send 'all'",
                "{\"action\": \"pause\", \"lane\": \"mail\", \"reason\": \"x\"}|400|'reason' is not a known parameter",
                "{\"action\": \"resume\", \"lane\": \"mail\", \"for\": \"1h\"}|400|'for' is not a known parameter",
                "{\"action\": \"resume\", \"lane\": \"mail\", \"scope\": \"world\"}|400|scope is 'world'",
                "{\"action\": \"resume\", \"lane\": \"mail\"}|404|'mail' is not paused",
                "{\"action\": \"resume\", \"lane\": \"mail\", \"scope\": \"node\", \"node\": \"other:7\"}|409|"
                        + "this request is for node 'other:7', but reached node '",
                "{\"action\": \"pause\", \"lane\": \"mail\", \"node\": \"other:7\"}|409|so nothing was changed",
                "{\"action\": \"resume\", \"method\": \"unknown\"}|404|'unknown' is not paused"
            })
    void whatIsWrongIsAnsweredInWords(String request, int status, String problem) {
        ConfigurableApplicationContext node = shared();

        assertThat(post(node, request, status)).contains(problem);
        assertThat(JsonPath.<List<Object>>read(list(node), "$.paused")).isEmpty();
    }

    @Test
    void withoutWriteAccessNothingIsPaused() {
        ConfigurableApplicationContext node = start("read-only");

        assertThat(send(node, HttpMethod.POST, "{\"action\": \"pause\", \"lane\": \"mail\"}")
                        .getStatusCode()
                        .is4xxClientError())
                .isTrue();
    }

    private static String list(ConfigurableApplicationContext node) {
        return ActuatorRequest.text(send(node, HttpMethod.GET, ""));
    }

    private static String post(ConfigurableApplicationContext node, String body, int status) {
        ResponseEntity<byte[]> response = send(node, HttpMethod.POST, body);
        String text = ActuatorRequest.text(response);
        assertThat(response.getStatusCode().value()).as(text).isEqualTo(status);
        return text;
    }

    private static ResponseEntity<byte[]> send(ConfigurableApplicationContext node, HttpMethod method, String body) {
        int port = ((WebServerApplicationContext) node).getWebServer().getPort();
        return ActuatorRequest.send(port, method, "/actuator/retryoncalls", body, "operator");
    }

    @RetryOn(exceptions = IOException.class, delay = "10ms")
    @Durable(OUTBOX)
    static class Jobs {

        private static final List<String> done = new CopyOnWriteArrayList<>();

        private static volatile boolean down;

        private static void done(String id) {
            done.add(id + " " + RetryContext.current().attempt());
        }

        public void work(String id) {
            done(id);
        }

        public void pay(String id) {
            done(id);
        }

        @Durable(ON_FAILURE)
        public void ship(String id) throws IOException {
            if (down) {
                throw new IOException("down");
            }
            done(id);
        }

        @Durable(lane = "mail")
        public void mail(String id) {
            done(id);
        }

        @Durable(lane = "mail")
        public void letter(String id) {
            done(id);
        }

        @Durable(OFF)
        public void plain() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Jobs.class, OperatorAccess.class})
    static class Application {}
}
