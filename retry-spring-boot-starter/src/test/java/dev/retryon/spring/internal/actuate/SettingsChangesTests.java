// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.jayway.jsonpath.JsonPath;
import dev.retryon.Retry;
import dev.retryon.RetryFailed;
import dev.retryon.RetryListener;
import dev.retryon.RetryScheduled;
import dev.retryon.StopReason;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.RetrySettingsChanged;
import dev.retryon.spring.internal.control.RuntimeSettings;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.EventListener;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;

/** Settings that an operator changes over HTTP while calls are made, in real time: a wait that is not ended lasts an hour. */
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class SettingsChangesTests {

    /** A thread for each: the common pool of a small machine has but one. */
    private final Executor threads = new SimpleAsyncTaskExecutor("caller-");

    /** The application of all tests that need no other settings or stack. */
    private static ConfigurableApplicationContext common;

    private ConfigurableApplicationContext context = common;

    private Shop shop = common.getBean(Shop.class);

    @BeforeAll
    static void startCommon() {
        common = run(
                WebApplicationType.SERVLET,
                "retryon.policies.patient.delay=1h",
                "retryon.policies.patient.max-delay=1h",
                "retryon.policies.patient.exceptions=java.io.IOException",
                "retryon.policies.calm.max-attempts=2",
                "retryon.policies.calm.exceptions=java.io.IOException",
                "retryon.pointcuts.plain.expression=execution(* dev.retryon..Plain.*(..))",
                "retryon.pointcuts.plain.policy=calm",
                "retryon.methods[dev.retryon.spring.internal.actuate.SettingsChangesTests$Limited].budget=default");
    }

    @AfterAll
    static void stopCommon() {
        common.close();
    }

    @AfterEach
    void forget() {
        if (context != common) {
            context.close();
        }
        RuntimeSettings settings = common.getBean(RuntimeSettings.class);
        settings.changes().forEach(change -> settings.takeBack(change.target(), null));
        common.getBean(Seen.class).forget();
    }

    @Test
    void aChangeHoldsForTheNextCallAndSaysWhoMadeIt() {
        String changed = post("/Shop.buy", "{\"maxAttempts\": 2, \"delay\": \"0s\"}");

        assertThat(JsonPath.<String>read(changed, "$.path")).isEqualTo("Shop.buy");
        assertThat(JsonPath.<String>read(changed, "$.settings.maxAttempts")).isEqualTo("2");
        assertThat(JsonPath.<String>read(changed, "$.by")).isEqualTo("operator");
        assertThat(attemptsOfBuy()).isEqualTo(2);
        String shown = get("/Shop.buy");
        assertThat(JsonPath.<Integer>read(shown, "$.methods[0].settings.maxAttempts.value"))
                .isEqualTo(2);
        assertThat(JsonPath.<String>read(shown, "$.methods[0].settings.maxAttempts.sources[0]"))
                .startsWith("operator since ")
                .endsWith(" by operator");
        assertThat(JsonPath.<String>read(get(""), "$.changes[0].path")).isEqualTo("Shop.buy");
    }

    @Test
    void nullTakesOneValueBackAndDeleteAll() {
        post("/Shop.buy", "{\"maxAttempts\": 2, \"delay\": \"0s\"}");

        post("/Shop.buy", "{\"maxAttempts\": null}");
        assertThat(attemptsOfBuy()).isEqualTo(3);
        assertThat(delete("/Shop.buy").getStatusCode().value()).isEqualTo(204);
        assertThat(delete("/Shop.buy").getStatusCode().value()).isEqualTo(404);
        assertThat(JsonPath.<String>read(get("/Shop.buy"), "$.methods[0].settings.delay.value"))
                .isEqualTo("1h");
    }

    /** A load balancer can send it anywhere. */
    @Test
    void aRequestForAnotherNodeChangesNothing() {
        String node = JsonPath.read(post("/Shop.buy", "{\"maxAttempts\": 2, \"delay\": \"0s\"}"), "$.node");

        ResponseEntity<byte[]> deleted = delete("/Shop.buy?node=other:7");
        ResponseEntity<byte[]> changed =
                send(HttpMethod.POST, "/Shop.buy", "{\"maxAttempts\": 1, \"node\": \"other:7\"}", "operator");

        for (ResponseEntity<byte[]> refused : List.of(deleted, changed)) {
            assertThat(refused.getStatusCode().value()).isEqualTo(409);
            assertThat(JsonPath.<String>read(text(refused), "$.problem"))
                    .isEqualTo("this request is for node 'other:7', but reached node '" + node
                            + "', so nothing was changed; resend it if a load balancer selects the node, or send it"
                            + " to the address of that node");
        }
        assertThat(attemptsOfBuy()).isEqualTo(2);
        post("/Shop.buy", "{\"maxAttempts\": 1, \"node\": \"" + node + "\"}");
        assertThat(attemptsOfBuy()).isEqualTo(1);
        assertThat(delete("/Shop.buy?node=" + node).getStatusCode().value()).isEqualTo(204);
    }

    @Test
    void switchedOffTheWaitsOfCallsInFlightEnd() throws Exception {
        CompletableFuture<Void> call = CompletableFuture.runAsync(
                () -> assertThatExceptionOfType(IOException.class).isThrownBy(() -> shop.buy()), threads);
        CompletableFuture<String> later = shop.later();
        assertThat(context.getBean(Seen.class).scheduled.tryAcquire(2, 30, TimeUnit.SECONDS))
                .isTrue();

        post("", "{\"retryable\": false}");

        call.get(30, TimeUnit.SECONDS);
        assertThat(later.handle((value, error) -> error).get(30, TimeUnit.SECONDS))
                .hasMessage("down");
        assertThat(context.getBean(Seen.class).reasons)
                .containsExactly(StopReason.SWITCHED_OFF, StopReason.SWITCHED_OFF);
        assertThat(attemptsOfBuy()).isEqualTo(1);
        assertThat(JsonPath.<Integer>read(get("/Shop.buy"), "$.calls.failure.switched_off"))
                .isEqualTo(2);

        delete("");
        post("", "{\"delay\": \"0s\"}");
        assertThat(attemptsOfBuy()).isEqualTo(3);
    }

    @Test
    void retriesOfTheRegistryAreSwitchedOffToo() throws Exception {
        Retry registered = context.getBean(RetryRegistry.class).retry("patient");
        CompletableFuture<Void> call = CompletableFuture.runAsync(
                () -> assertThatExceptionOfType(IOException.class)
                        .isThrownBy(() -> registered.call(() -> {
                            throw new IOException("down");
                        })),
                threads);
        assertThat(context.getBean(Seen.class).scheduled.tryAcquire(30, TimeUnit.SECONDS))
                .isTrue();

        post("/policies/patient", "{\"retryable\": false}");
        call.get(30, TimeUnit.SECONDS);
        assertThat(JsonPath.<Boolean>read(get("/patient"), "$.registered.settings.retryable.value"))
                .isFalse();
        assertThat(context.getBean(Seen.class).reasons).containsExactly(StopReason.SWITCHED_OFF);
        post("", "{\"retryable\": false}");
        Retry later = context.getBean(RetryRegistry.class).retry("later", registered.policy());
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> later.call(() -> {
                    throw new IOException("down");
                }));
        delete("");
        delete("/policies/patient");
        assertThat(JsonPath.<Boolean>read(get("/patient"), "$.registered.settings.retryable.value"))
                .isTrue();
    }

    @Test
    void retriesOfTheRegistryFollowChanges() {
        RetryRegistry registry = context.getBean(RetryRegistry.class);
        Retry named = registry.retry("patient");
        Retry built = registry.retry("built", named.policy());

        post("/patient", "{\"maxAttempts\": 4, \"delay\": \"0s\"}");
        post("/built", "{\"maxAttempts\": 5, \"delay\": \"0s\"}");

        assertThat(attempts(named)).isEqualTo(4);
        assertThat(attempts(built)).isEqualTo(5);
        assertThat(JsonPath.<Integer>read(get("/patient"), "$.registered.settings.maxAttempts.value"))
                .isEqualTo(4);
        assertThat(JsonPath.<String>read(get("/built"), "$.registered.settings.maxAttempts.sources[0]"))
                .startsWith("operator since ");
        refused("/built", "{\"recover\": \"fallback\"}", "only a retried method of a bean can have a recovery method");
        refused("/built", "{\"delay\": \"5s\", \"maxDelay\": \"1s\"}", "Retry 'built': maxDelay is '1s' (");

        delete("/patient");
        delete("/built");
        assertThat(named.policy().maxAttempts()).isEqualTo(3);
        assertThat(built.policy().delay()).isEqualTo(Duration.ofHours(1));
        assertThat(JsonPath.<String>read(get("/built"), "$.registered.settings.maxAttempts.sources[0]"))
                .isEqualTo("code");
    }

    private static int attempts(Retry retry) {
        AtomicInteger attempts = new AtomicInteger();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> retry.call(() -> {
                    attempts.incrementAndGet();
                    throw new IOException("down");
                }));
        return attempts.get();
    }

    @Test
    void aPolicyOrABudgetIsSwitchedOffForItsMethodsAlone() {
        post("/policies/calm", "{\"retryable\": false}");
        assertThat(JsonPath.<Boolean>read(get("/Plain.go"), "$.methods[0].settings.retryable.value"))
                .isFalse();
        assertThat(JsonPath.<Boolean>read(get("/Shop.buy"), "$.methods[0].settings.retryable.value"))
                .isTrue();

        CompletableFuture<String> waiting = context.getBean(Limited.class).later();
        post("/budgets/default", "{\"retryable\": false}");
        assertThat(waiting.handle((value, error) -> error)).succeedsWithin(Duration.ofSeconds(30));
        assertThat(context.getBean(Seen.class).reasons).containsExactly(StopReason.SWITCHED_OFF);
        assertThat(JsonPath.<Boolean>read(get("/Limited.later"), "$.methods[0].settings.retryable.value"))
                .isFalse();
        assertThat(JsonPath.<Boolean>read(get("/Shop.buy"), "$.methods[0].settings.retryable.value"))
                .isTrue();
    }

    @Test
    void aChangeEndsByItself() throws Exception {
        String changed = post("/Shop.buy", "{\"maxAttempts\": 1, \"for\": \"300ms\"}");

        assertThat(JsonPath.<String>read(changed, "$.until")).isNotBlank();
        BlockingQueue<RetrySettingsChanged> events = context.getBean(Seen.class).changes;
        assertThat(events.poll(30, TimeUnit.SECONDS).description())
                .contains("changed by operator to maxAttempts=1 until");
        RetrySettingsChanged end = events.poll(30, TimeUnit.SECONDS);
        assertThat(end.description()).isEqualTo("Shop.buy: changes reverted");
        assertThat(end.by()).isNull();
        assertThat(JsonPath.<Integer>read(get("/Shop.buy"), "$.methods[0].settings.maxAttempts.value"))
                .isEqualTo(3);
    }

    @Test
    void aChangeIsLoggedAndAudited(CapturedOutput output) {
        Instant before = Instant.now();
        post("/Shop.buy", "{\"maxAttempts\": 2}");
        post("", "{\"retryable\": false}");

        assertThat(output)
                .contains("settings of Shop.buy: changed by operator to maxAttempts=2")
                .contains("settings of all retries: changed by operator to retryable=false")
                .doesNotContain("has no effect");
        assertThat(context.getBean(AuditEventRepository.class).find("operator", before, "RETRYON_SETTINGS_CHANGED"))
                .first()
                .satisfies(event -> assertThat(event.getData()).containsEntry("path", "Shop.buy"));
    }

    @Test
    void aListenerThatHangsKeepsNobodyFromChangingAnything() throws Exception {
        Seen seen = context.getBean(Seen.class);
        seen.held = new CountDownLatch(1);
        CompletableFuture<String> hanging = CompletableFuture.supplyAsync(
                () -> post("/Shop.buy", "{\"maxAttempts\": 2, \"delay\": \"0s\"}"), threads);
        try {
            assertThat(seen.changes.poll(30, TimeUnit.SECONDS)).isNotNull();

            CompletableFuture.runAsync(() -> post("/Shop.later", "{\"maxAttempts\": 2}"), threads)
                    .get(30, TimeUnit.SECONDS);

            assertThat(attemptsOfBuy()).isEqualTo(2);
            assertThat(JsonPath.<List<Object>>read(get(""), "$.changes")).hasSize(2);
        } finally {
            seen.held.countDown();
        }
        assertThat(hanging.get(30, TimeUnit.SECONDS)).contains("Shop.buy");
    }

    @Test
    void aBeanThatIsMadeLaterFollowsToo() {
        post("", "{\"maxAttempts\": 1}");

        Late late = context.getBean(Late.class);

        assertThatExceptionOfType(IOException.class).isThrownBy(late::go);
        assertThat(late.attempts()).isEqualTo(1);
    }

    @Test
    void whatIsWrongIsSaidAndNothingChanges() {
        refused("/Shop.buy", "{\"maxAttempts\": -1}", "maxAttempts is '-1', but must be a whole number of at least 1");
        refused("/Shop.buy", "{\"maxAttemps\": 1}", "'maxAttemps' cannot be changed while the application runs");
        refused("/Shop.buy", "{\"delay\": \"soon\"}", "delay is 'soon', but must be a duration");
        refused("/Shop.buy", "{\"retryable\": \"maybe\"}", "retryable is 'maybe', but must be true or false");
        refused("/Shop.buy", "{\"maxDelay\": \"1s\", \"delay\": \"2s\"}", "must not be below delay");
        refused("/Shop.buy", "{\"onlyIf\": \"#nope\"}", "names the unknown variable #nope");
        refused("/Shop.buy", "{\"exceptions\": \"x\"}", "'exceptions' cannot be changed while the application runs");
        refused(
                "/Shop.buy",
                "{\"maxAttempts\": \"\"}",
                "maxAttempts is '', but must have a value; send null to revert");
        refused("/Shop.buy", "{\"maxAttempts\": 1, \"for\": \"0s\"}", "for is '0s', but must be more than zero");
        refused("/Shop.buy", "{\"maxAttempts\": 1, \"for\": \"a while\"}", "for is 'a while', but must be a duration");
        refused(
                "/Shop.buy",
                "{\"maxAttempts\": 1, \"for\": \"30\"}",
                "for is '30', but must be a duration with a unit");
        refused("/Shop.buy", "{\"maxAttempts\": 1, \"for\": \"\"}", "for is '', but must be a duration with a unit");
        refused("/Shop.buy", "{\"maxAttempts\": 1, \"for\": \"366d\"}", "but must be more than zero and at most 365d");
        refused(
                "/Shop.buy",
                "{\"maxAttempts\": 1, \"for\": \"9000000000000000000d\"}",
                "for is '9000000000000000000d', but must be a duration");
        refused("/Shop.buy", "{}", "the request contains no setting");
        refused("/Shop.by", "{\"maxAttempts\": 1}", "no retry is named 'Shop.by'");
        refused("/policies/none", "{\"maxAttempts\": 1}", "no policy is named 'none' in retryon.policies");
        refused("/things/none", "{\"maxAttempts\": 1}", "use a name, or policies/<name> or budgets/<name>");

        assertThat(JsonPath.<List<Object>>read(get(""), "$.changes")).isEmpty();
    }

    private void refused(String path, String body, String problem) {
        ResponseEntity<byte[]> response = send(HttpMethod.POST, path, body, "operator");
        assertThat(response.getStatusCode().value()).as(body).isEqualTo(400);
        assertThat(JsonPath.<String>read(text(response), "$.problem")).contains(problem);
    }

    @Test
    void oneWrongValueLeavesTheOthersAsTheyWere() {
        send(HttpMethod.POST, "", "{\"maxAttempts\": 1, \"onlyIf\": \"#no > 1\"}", "operator");

        assertThat(JsonPath.<Integer>read(get("/Shop.buy"), "$.methods[0].settings.maxAttempts.value"))
                .isEqualTo(3);
    }

    @Test
    void withoutWriteAccessNothingCanBeChanged() {
        start(WebApplicationType.SERVLET, "test.access=read-only");

        assertThat(send(HttpMethod.POST, "/Shop.buy", "{\"maxAttempts\": 1}", "operator")
                        .getStatusCode()
                        .is4xxClientError())
                .isTrue();
        assertThat(delete("").getStatusCode().is4xxClientError()).isTrue();
        assertThat(get("")).contains("\"changes\":[]");
    }

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void worksOnBothStacks(WebApplicationType stack) {
        if (stack != WebApplicationType.SERVLET) {
            start(stack);
        }

        assertThat(JsonPath.<String>read(post("/Shop.buy", "{\"maxAttempts\": 1}"), "$.by"))
                .isEqualTo("operator");
        assertThat(attemptsOfBuy()).isEqualTo(1);
        assertThat(delete("/Shop.buy").getStatusCode().value()).isEqualTo(204);
    }

    private int attemptsOfBuy() {
        int before = shop.attempts();
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> shop.buy());
        return shop.attempts() - before;
    }

    private void start(WebApplicationType stack, String... properties) {
        context = run(stack, properties);
        shop = context.getBean(Shop.class);
    }

    private static ConfigurableApplicationContext run(WebApplicationType stack, String... properties) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(stack);
        String[] arguments = new String[properties.length + 5];
        arguments[0] = "--server.port=0";
        arguments[1] = "--management.endpoints.web.exposure.include=retryon";
        arguments[2] = "--spring.main.banner-mode=off";
        arguments[3] = "--spring.reactor.netty.shutdown-quiet-period=0s";
        arguments[4] = "--management.endpoint.retryon.access=${test.access:unrestricted}";
        for (int i = 0; i < properties.length; i++) {
            arguments[i + 5] = "--" + properties[i];
        }
        return application.run(arguments);
    }

    private String post(String path, String body) {
        ResponseEntity<byte[]> response = send(HttpMethod.POST, path, body, "operator");
        assertThat(response.getStatusCode().value()).as(text(response)).isBetween(200, 204);
        return text(response);
    }

    private ResponseEntity<byte[]> delete(String path) {
        return send(HttpMethod.DELETE, path, "", "operator");
    }

    private String get(String path) {
        return text(send(HttpMethod.GET, path, "", ""));
    }

    private static String text(ResponseEntity<byte[]> response) {
        return ActuatorRequest.text(response);
    }

    private ResponseEntity<byte[]> send(HttpMethod method, String path, String body, String user) {
        int port = ((WebServerApplicationContext) context).getWebServer().getPort();
        return ActuatorRequest.send(port, method, "/actuator/retryon" + path, body, user);
    }

    static class Shop {

        private int attempts;

        public synchronized int attempts() {
            return attempts;
        }

        @RetryOn(value = IOException.class, delay = "1h", jitter = "none")
        public void buy() throws IOException {
            synchronized (this) {
                attempts++;
            }
            throw new IOException("down");
        }

        @RetryOn(value = IOException.class, delay = "1h", jitter = "none")
        public CompletableFuture<String> later() {
            return CompletableFuture.failedFuture(new IOException("down"));
        }
    }

    static class Limited {

        @RetryOn(value = IOException.class, delay = "1h", jitter = "none")
        public CompletableFuture<String> later() {
            return CompletableFuture.failedFuture(new IOException("down"));
        }
    }

    static class Plain {

        public void go() {}
    }

    static class Late {

        private int attempts;

        public int attempts() {
            return attempts;
        }

        @RetryOn(value = IOException.class, delay = "0s")
        public void go() throws IOException {
            attempts++;
            throw new IOException("down");
        }
    }

    static class Seen {

        final Semaphore scheduled = new Semaphore(0);

        final List<StopReason> reasons = new CopyOnWriteArrayList<>();

        final BlockingQueue<RetrySettingsChanged> changes = new LinkedBlockingQueue<>();

        volatile CountDownLatch held = new CountDownLatch(0);

        void forget() {
            scheduled.drainPermits();
            reasons.clear();
            changes.clear();
        }

        @EventListener
        void changed(RetrySettingsChanged event) throws InterruptedException {
            changes.add(event);
            if (event.path().equals("Shop.buy")) {
                held.await();
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Shop.class, Limited.class, Plain.class, Seen.class, OperatorAccess.class})
    static class Application {

        @Bean
        @Lazy
        Late late() {
            return new Late();
        }

        @Bean
        RetryListener listener(Seen seen) {
            return event -> {
                if (event instanceof RetryScheduled) {
                    seen.scheduled.release();
                } else if (event instanceof RetryFailed failed) {
                    seen.reasons.add(failed.reason());
                }
            };
        }
    }
}
