// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.jayway.jsonpath.JsonPath;
import dev.retryon.dashboard.internal.CounterHistory;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.actuate.OperatorAccess;
import dev.retryon.spring.internal.actuate.RetryOnEndpoint;
import dev.retryon.spring.module.ExtensionErrors;
import dev.retryon.spring.module.RecentCounts.RetryHours;
import dev.retryon.spring.module.RecentCounts.StoredCounts;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/** The page for operators as it is served: where, with which headers, and with what in it. */
@Tag("slow")
class DashboardEndpointTests {

    private static final Pattern ASSET = Pattern.compile("(?:src|href)=\"([^\"#]+)\"");

    /** Applications without special settings, which several tests use. */
    private static final Map<WebApplicationType, ConfigurableApplicationContext> SHARED =
            new EnumMap<>(WebApplicationType.class);

    private ConfigurableApplicationContext context;

    @AfterEach
    void stop() {
        if (context != null && !SHARED.containsValue(context)) {
            context.close();
        }
    }

    @AfterAll
    static void stopShared() {
        SHARED.values().forEach(ConfigurableApplicationContext::close);
        SHARED.clear();
    }

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void thePageAndItsFilesAreServedUnderAStrictPolicy(WebApplicationType stack) {
        share(stack);

        ResponseEntity<String> page = get("/actuator/retryondashboard");

        assertThat(page.getStatusCode().value()).isEqualTo(200);
        assertThat(page.getHeaders().getFirst("Content-Type")).isEqualToIgnoringCase("text/html;charset=UTF-8");
        assertThat(page.getHeaders().getFirst("Cache-Control")).isEqualTo("no-cache");
        assertThat(page.getHeaders().getFirst("Content-Security-Policy"))
                .contains("default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'")
                .doesNotContain("unsafe");
        assertThat(page.getHeaders().getFirst("X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(page.getBody())
                .doesNotContain("[[")
                .doesNotContain("style=")
                .doesNotContainPattern("<script>|<style|http://|https://");
        List<String> files = filesOf(page.getBody());
        assertThat(files).hasSize(21).doesNotHaveDuplicates();
        for (String file : files) {
            ResponseEntity<String> asset = get("/actuator/" + file);
            assertThat(asset.getStatusCode().value()).as(file).isEqualTo(200);
            assertThat(asset.getHeaders().getFirst("Cache-Control")).contains("immutable");
            assertThat(asset.getHeaders().getFirst("Content-Type"))
                    .startsWithIgnoringCase(
                            file.endsWith(".js")
                                    ? "text/javascript"
                                    : file.endsWith(".css") ? "text/css" : "image/svg+xml");
            assertThat(asset.getHeaders().getFirst("X-Content-Type-Options")).isEqualTo("nosniff");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void nothingElseOfTheClassPathCanBeAskedFor(WebApplicationType stack) {
        share(stack);
        String folder =
                filesOf(get("/actuator/retryondashboard").getBody()).get(0).replaceAll("/[^/]*$", "/");

        for (String path : List.of(
                "retryondashboard/app.js",
                folder + "index.html",
                folder + "unknown.js",
                folder + "deeper/app.js",
                folder.replaceAll("[0-9a-f]{16}", "0000000000000000") + "app.js",
                folder + "..%2Fapp.js",
                folder + "%2e%2e/app.js")) {
            assertThat(get("/actuator/" + path).getStatusCode().value())
                    .as(path)
                    .isIn(400, 404);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void itIsWhereTheApplicationPutsIt(WebApplicationType stack) {
        start(
                stack,
                "--management.endpoints.web.base-path=/ops",
                "--management.endpoints.web.path-mapping.retryondashboard=page",
                "--management.endpoints.web.path-mapping.retryon=calls",
                "--management.server.port=0",
                // Tests have two servers on their class path, of which both would serve the other port.
                "--spring.autoconfigure.exclude=org.springframework.boot.tomcat.autoconfigure.actuate.web.server"
                        + ".TomcatReactiveManagementContextAutoConfiguration");

        ResponseEntity<String> page = get("/ops/page");

        assertThat(page.getStatusCode().value()).isEqualTo(200);
        assertThat(page.getHeaders().getFirst("Content-Security-Policy")).contains("frame-ancestors 'none'");
        assertThat(page.getBody()).contains("data-self=\"page\"", "data-retryon=\"calls\"");
        assertThat(get("/ops/" + filesOf(page.getBody()).get(0)).getStatusCode().value())
                .isEqualTo(200);
        assertThat(get("/ops/retryondashboard").getStatusCode().value()).isEqualTo(404);
    }

    @Test
    void itSaysWhatCanBeSeenAndWhatCanBeChanged() {
        start(
                WebApplicationType.SERVLET,
                "--management.endpoints.web.exposure.include=retryondashboard,retryon,retryonevents",
                "--management.endpoint.retryon.access=unrestricted",
                "--spring.application.name=\"><script>alert(1)</script>[[policy]]",
                "--management.endpoint.retryondashboard.trace-link=https://traces.example/trace/{traceId}",
                "--management.endpoint.retryondashboard.metrics-link=/grafana/d/retryon?var-name={name}");

        assertThat(get("/actuator/retryondashboard").getBody())
                .contains("data-retryon-access=\"write\"")
                .contains("data-retryonevents-access=\"read\"")
                .contains("data-retryoncalls-access=\"none\"")
                .contains("data-trace-link=\"https://traces.example/trace/{traceId}\"")
                .contains("data-metrics-link=\"/grafana/d/retryon?var-name={name}\"")
                .contains("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#91;&#91;policy]]")
                .doesNotContain("<script>alert");
    }

    @Test
    void itIsNotThereUnlessItIsExposed() {
        start(WebApplicationType.SERVLET, "--management.endpoints.web.exposure.include=retryon");

        assertThat(get("/actuator/retryondashboard").getStatusCode().value()).isEqualTo(404);
        assertThat(context.getBeansOfType(CounterHistory.class)).isEmpty();
        assertThat(get("/actuator/retryon?summary=true").getBody()).doesNotContain("recent\":{");
    }

    @Test
    void wrongLinksEndTheStartTogether() {
        assertThatExceptionOfType(RuntimeException.class)
                .isThrownBy(() -> start(
                        WebApplicationType.SERVLET,
                        "--management.endpoint.retryondashboard.trace-link=javascript:alert({traceId})",
                        "--management.endpoint.retryondashboard.metrics-link=https://grafana.example/d/retryon"))
                .withStackTraceContaining(
                        "management.endpoint.retryondashboard.trace-link: is 'javascript:alert({traceId})',"
                                + " but must begin with https://")
                .withStackTraceContaining(
                        "management.endpoint.retryondashboard.metrics-link: is"
                                + " 'https://grafana.example/d/retryon', but must begin with https://, http:// or / and contain {name}");
    }

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void aSummarySaysHowEverythingGoes(WebApplicationType stack) {
        share(stack);
        CounterHistory history = history();
        Shop shop = context.getBean(Shop.class);
        fail(shop::buy);
        history.sample();
        history.sample();
        fail(shop::buy);
        fail(shop::buy);

        String summary = get("/actuator/retryon?summary=true").getBody();

        assertThat(JsonPath.<String>read(summary, "$.interval")).isEqualTo("PT10S");
        String node = JsonPath.read(summary, "$.node");
        assertThat(node).endsWith(":" + ProcessHandle.current().pid());
        assertThat(get("/actuator/retryondashboard").getBody()).contains("data-node=\"" + node + '"');
        Map<String, Object> name = only(summary, "$.names[?(@.name == 'Shop.buy')]");
        assertThat(name).containsEntry("calls", 3).containsEntry("retries", 6).containsEntry("failures", 3); // 3 * 2
        assertThat(JsonPath.<List<Integer>>read(name, "$.recent.calls")).containsExactly(1, 0, 2);
        assertThat(JsonPath.<List<Integer>>read(name, "$.recent.retries")).containsExactly(2, 0, 4);
        assertThat(JsonPath.<String>read(name, "$.lastFailure.reason")).isEqualTo("exhausted");
        List<Map<String, Object>> causes = JsonPath.read(summary, "$.causes[?(@.name == 'Shop.buy')]");
        assertThat(causes.get(0))
                .containsEntry("exception", IOException.class.getName())
                .containsEntry("recent", 6)
                .doesNotContainKey("reason");
        assertThat(causes.get(1)).containsEntry("reason", "exhausted").containsEntry("recent", 3);
        assertThat(summary).doesNotContain("secret").doesNotContain("settings");
    }

    @Test
    void theHistoryForgetsWhatIsOlderThan15Minutes() {
        share(WebApplicationType.SERVLET);
        CounterHistory history = history();
        fail(context.getBean(Shop.class)::rent);
        for (int i = 0; i < CounterHistory.SAMPLES; i++) {
            history.sample();
        }
        assertThat(recentRentals()).hasSize(91).startsWith(1, 0);

        history.sample();

        assertThat(recentRentals()).isEmpty();
        assertThat(rentals()).containsEntry("calls", 1);
    }

    @Test
    void theLastHoursAreKeptInIntervalsOfFiveMinutes() {
        share(WebApplicationType.SERVLET);
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-28T02:03:00Z"));
        Map<String, StoredCounts.Stored> stored = new HashMap<>();
        CounterHistory history = history(now, () -> Map.copyOf(stored));
        Shop shop = context.getBean(Shop.class);
        history.count();
        history.sample();
        RetryHours.Hours before = hours(history, "Shop.lease");
        assertThat(before.retries()).isEmpty();
        assertThat(before.waiting()).isEmpty();

        fail(shop::lease);
        stored.put("Mails.send", new StoredCounts.Stored(70, 3));
        history.count();
        history.sample();
        stored.put("Mails.send", new StoredCounts.Stored(20, 1));
        history.count();
        history.sample();
        now.set(Instant.parse("2026-11-28T02:15:00Z"));
        fail(shop::lease);
        fail(shop::lease);
        history.count();
        history.sample();

        RetryHours.Hours shopHours = hours(history, "Shop.lease");
        assertThat(shopHours.retries()).containsExactly(2, 0, 0, 4); // at 2:00, and 2 * 2 at 2:15
        assertThat(shopHours.failures()).containsExactly(1, 0, 0, 2);
        RetryHours.Hours mailHours = hours(history, "Mails.send");
        // No one has counted between 2:05 and 2:15.
        assertThat(mailHours.waiting()).containsExactly(70, null, null, 20);
        assertThat(mailHours.dead()).containsExactly(3, null, null, 1);
        RetryHours all = history.hours();
        assertThat(all.all().retries()).endsWith(0, 0, 4);
        assertThat(all.all().waiting()).endsWith(70, null, null, 20);
        assertThat(all.since()).isEqualTo("2026-11-28T02:03:00Z");
        assertThat(all.latest()).isEqualTo("2026-11-28T02:15:00Z");
    }

    @Test
    void theLastHoursEndAfterTwelve() {
        share(WebApplicationType.SERVLET);
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-28T02:00:00Z"));
        CounterHistory history = history(now, Map::of);
        history.sample();
        fail(context.getBean(Shop.class)::lease);
        history.sample();
        now.set(Instant.parse("2026-11-28T13:59:00Z"));
        history.sample();
        assertThat(hours(history, "Shop.lease").retries()).hasSize(144).endsWith(0);

        now.set(Instant.parse("2026-11-28T14:00:00Z"));
        history.sample();

        assertThat(hours(history, "Shop.lease").retries()).isEmpty();
    }

    /** If the store is away, the page must not show zeros. */
    @Test
    void storedCallsAreUnknownWhileTheStoreDoesNotRespond() {
        share(WebApplicationType.SERVLET);
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-28T02:00:00Z"));
        CounterHistory history = history(now, () -> Map.of("Mails.send", new StoredCounts.Stored(5, 2)));
        history.count();
        history.sample();
        now.set(Instant.parse("2026-11-28T02:05:00Z"));

        history.sample();

        assertThat(hours(history, "Mails.send").waiting()).containsExactly(5, null);
        assertThat(hours(history, "Mails.send").dead()).containsExactly(2, null);
    }

    /** Each process counts, and a million calls take long to count. */
    @Test
    void storedCallsAreCountedLessOftenIfThatIsSlow() {
        share(WebApplicationType.SERVLET);
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-28T02:00:00Z"));
        AtomicInteger counts = new AtomicInteger();
        CounterHistory history = history(now, () -> {
            now.set(now.get().plusSeconds(3));
            return Map.of("Mails.send", new StoredCounts.Stored(counts.incrementAndGet(), 0));
        });
        history.countIfDue();
        history.sample();

        now.set(now.get().plusSeconds(296));
        history.countIfDue();
        assertThat(counts).hasValue(1);

        now.set(now.get().plusSeconds(1)); // 3 of 3 + 297 seconds are 1 %
        history.sample();
        history.countIfDue();
        assertThat(counts).hasValue(2);
        history.sample();
        assertThat(hours(history, "Mails.send").waiting()).containsExactly(1, 2);
    }

    @Test
    void theLastHoursHaveABound() {
        share(WebApplicationType.SERVLET);
        AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-28T02:00:00Z"));
        Map<String, StoredCounts.Stored> stored = new HashMap<>();
        for (int i = 0; i < 5_000; i++) {
            stored.put("name-" + i, new StoredCounts.Stored(1, 0));
        }
        CounterHistory history = history(now, () -> stored);
        history.count();

        history.sample();

        assertThat(history.hours().names()).hasSize(1_000);
        assertThat(history.hours().all().waiting()).containsExactly(5_000);
    }

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void theLastHoursAreAtTheEndpoint(WebApplicationType stack) {
        share(stack);
        CounterHistory history = history();
        fail(context.getBean(Shop.class)::lend);
        history.sample();

        String hours = get("/actuator/retryon?hours=true").getBody();

        assertThat(JsonPath.<String>read(hours, "$.interval")).isEqualTo("PT5M");
        assertThat(JsonPath.<Integer>read(hours, "$.intervals")).isEqualTo(144); // 12 * 60 / 5
        assertThat(JsonPath.<String>read(hours, "$.node"))
                .endsWith(":" + ProcessHandle.current().pid());
        Map<String, Object> name = only(hours, "$.names[?(@.name == 'Shop.lend')]");
        assertThat(JsonPath.<List<Integer>>read(name, "$.hours.retries")).containsExactly(2);
        assertThat(JsonPath.<List<Integer>>read(name, "$.hours.failures")).containsExactly(1);
        assertThat(hours).doesNotContain("secret");
    }

    private CounterHistory history(AtomicReference<Instant> now, StoredCounts stored) {
        return new CounterHistory(
                context.getBean(RetryOnEndpoint.class),
                stored,
                now::get,
                () -> now.get().toEpochMilli() * 1_000_000,
                context.getBean(ExtensionErrors.class));
    }

    private static RetryHours.Hours hours(CounterHistory history, String name) {
        return history.hours().names().stream()
                .filter(entry -> entry.name().equals(name))
                .map(RetryHours.Name::hours)
                .findFirst()
                .orElse(new RetryHours.Hours(List.of(), List.of(), List.of(), List.of()));
    }

    private List<Integer> recentRentals() {
        return JsonPath.read(rentals(), "$.recent.calls");
    }

    private Map<String, Object> rentals() {
        return only(get("/actuator/retryon?summary=true").getBody(), "$.names[?(@.name == 'Shop.rent')]");
    }

    /** The history, which takes no samples but those of the test. */
    private CounterHistory history() {
        CounterHistory history = context.getBean(CounterHistory.class);
        history.stop();
        return history;
    }

    private static Map<String, Object> only(String json, String path) {
        List<Map<String, Object>> found = JsonPath.read(json, path);
        assertThat(found).as(path).hasSize(1);
        return found.get(0);
    }

    @Test
    void aPointcutForAllMethodsLeavesThePageAlone() {
        start(
                WebApplicationType.SERVLET,
                "--retryon.pointcuts.all.expression=execution(public * *(..))",
                "--retryon.policies.all.exceptions=java.io.IOException");

        assertThat(AopUtils.isAopProxy(context.getBean(RetryOnDashboardEndpoint.class)))
                .isFalse();
    }

    private static void fail(ThrowingCallable call) {
        assertThatExceptionOfType(IOException.class).isThrownBy(call);
    }

    private static List<String> filesOf(String page) {
        List<String> files = new ArrayList<>();
        Matcher matcher = ASSET.matcher(page);
        while (matcher.find()) {
            files.add(matcher.group(1));
        }
        return files;
    }

    private void share(WebApplicationType stack) {
        context = SHARED.computeIfAbsent(stack, missing -> run(stack));
    }

    private void start(WebApplicationType stack, String... arguments) {
        context = run(stack, arguments);
    }

    private static ConfigurableApplicationContext run(WebApplicationType stack, String... arguments) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(stack);
        application.setDefaultProperties(Map.of(
                "server.port", "0",
                "management.endpoints.web.exposure.include", "*",
                "retryon.defaults.backoff", "none",
                "spring.main.banner-mode", "off",
                "spring.reactor.netty.shutdown-quiet-period", "0s"));
        return application.run(arguments);
    }

    private ResponseEntity<String> get(String path) {
        String port = context.getEnvironment().getProperty("local.management.port");
        int asked = port != null
                ? Integer.parseInt(port)
                : ((WebServerApplicationContext) context).getWebServer().getPort();
        // A client for each request, so that none is sent on the connection of one that Spring Security's firewall
        // refused:
        // Reactor Netty can leave that unanswered.
        ResponseEntity<byte[]> response = RestClient.builder()
                .requestFactory(new JdkClientHttpRequestFactory())
                .build()
                .get()
                .uri(URI.create("http://localhost:" + asked + path))
                .retrieve()
                .onStatus(status -> status.isError(), (sent, answer) -> {})
                .toEntity(byte[].class);
        return ResponseEntity.status(response.getStatusCode())
                .headers(response.getHeaders())
                .body(response.getBody() == null ? "" : new String(response.getBody(), StandardCharsets.UTF_8));
    }

    static class Shop {

        @RetryOn(IOException.class)
        public void buy() throws IOException {
            throw new IOException("secret");
        }

        @RetryOn(IOException.class)
        public void rent() throws IOException {
            throw new IOException("secret");
        }

        @RetryOn(IOException.class)
        public void lease() throws IOException {
            throw new IOException("secret");
        }

        @RetryOn(IOException.class)
        public void lend() throws IOException {
            throw new IOException("secret");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Shop.class, OperatorAccess.class})
    static class Application {}
}
