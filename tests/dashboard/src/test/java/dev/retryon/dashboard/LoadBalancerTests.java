// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static java.util.Comparator.naturalOrder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.JsonPath;
import com.microsoft.playwright.Locator;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two processes that share a PostgreSQL, behind a load balancer that passes each request to the other one. */
@Tag("browser")
@Tag("database")
@Tag("process")
@Tag("endurance")
class LoadBalancerTests extends BrowserSession {

    private static final String OFTEN = "--retryon.jdbc.shared-settings.poll-interval=100ms";

    private static EmbeddedPostgres database;

    private static ShopProcess one;

    private static ShopProcess other;

    private static RoundRobin balancer;

    private final HttpClient client = HttpClient.newHttpClient();

    @BeforeAll
    static void startAll() throws IOException {
        database = EmbeddedPostgres.start();
        one = startShop("postgres", OFTEN);
        other = startShop("postgres", OFTEN);
        balancer = new RoundRobin(one.port(), other.port());
        one.fail(2, 2);
        other.fail(0, 1);
    }

    private static ShopProcess startShop(String name, String... more) throws IOException {
        return ShopProcess.start(Stream.concat(
                        Stream.of(
                                "--spring.autoconfigure.exclude=",
                                "--spring.datasource.url=" + database.getJdbcUrl("postgres", name),
                                "--retryon.durable.store=auto",
                                "--retryon.jdbc.initialize-schema=always",
                                "--retryon.policies.calm.delay=2s",
                                "--management.endpoint.retryon.access=unrestricted",
                                "--management.endpoint.retryoncalls.access=unrestricted"),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    @AfterAll
    static void stopAll() throws Exception {
        for (AutoCloseable resource : new AutoCloseable[] {balancer, one, other, database}) {
            if (resource != null) {
                resource.close();
            }
        }
    }

    @BeforeEach
    void visit() {
        visit(balancer.port());
    }

    @Test
    void namesBothProcessesAndTheOneThatAnswers() {
        open("overview");
        answerInTurn();

        assertThat(page.locator("#node")).hasText(Pattern.compile(".+(" + one.pid() + "|" + other.pid() + ")"));
        assertThat(page.locator("#nodes"))
                .containsText(Pattern.compile("Several processes respond at this address: .+, .+\\."));
        assertThat(page.locator("#nodes")).containsText(one.pid());
        assertThat(page.locator("#nodes")).containsText(other.pid());
        audit("two processes");
        nothingIsWrong();
    }

    /** The retries of each process are its own. The stored calls are the same. */
    @Test
    void storedCallsAgreeWhicheverProcessAnswers() throws Exception {
        open("overview");
        Locator row =
                page.locator(".methods tbody tr").filter(new Locator.FilterOptions().setHasText("Invoices.dispatch"));
        Set<String> charged = new TreeSet<>();
        for (int i = 0; i < 4; i++) {
            String node = page.locator("#node").innerText();
            refresh();
            assertThat(page.locator("#node")).not().hasText(node);
            assertThat(row).containsText("waiting (3)");
            charged.add(page.locator(".methods tbody tr")
                    .filter(new Locator.FilterOptions().setHasText("Payments.charge"))
                    .locator("td")
                    .nth(4)
                    .innerText());
        }
        assertThat(charged).hasSize(2);
        List<String> ids = JsonPath.read(read(one, "retryoncalls?state=waiting"), "$.items[*].id");
        assertThat(ids).hasSize(3);
        assertThat(JsonPath.<List<String>>read(read(other, "retryoncalls?state=waiting"), "$.items[*].id"))
                .isEqualTo(ids);

        open("calls?state=waiting");
        assertThat(page.locator(".row")).hasCount(3);
        nothingIsWrong();
    }

    @Test
    void aPauseReachesBothProcesses() throws Exception {
        open("calls?state=waiting");
        button("Pause… lane default").click();
        assertThat(page.locator("dialog")).containsText("all nodes that share the calls");
        confirm();

        for (ShopProcess shop : List.of(one, other)) {
            await().untilAsserted(() -> assertThat(read(shop, "retryoncalls?state=waiting"))
                    .contains("\"path\":\"lanes/default\"", "\"scope\":\"all\""));
        }
        // Whichever process answers.
        for (int i = 0; i < 2; i++) {
            open("overview");
            assertThat(page.locator(".changes")).containsText("Lane default is paused (3 calls waiting) for all nodes");
        }
        button("Resume… lane default").click();
        confirm();
        for (ShopProcess shop : List.of(one, other)) {
            await().untilAsserted(() ->
                    assertThat(read(shop, "retryoncalls?state=waiting")).doesNotContain("\"path\":\"lanes/default\""));
        }
        nothingIsWrong();
    }

    /** An operator presses the buttons on one node during an outage, while the other one runs the calls. Intervals are the defaults. */
    @Test
    void aPauseSoonEndsTheAttemptsOfTheOtherNodeAndResumeSoonStartsThem() throws Exception {
        try (Connection connection = database.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create database outage");
        }
        String dispatch = "--retryon.methods[" + DashboardApplication.Invoices.class.getName() + "#dispatch].";
        String[] often = {dispatch + "delay=50ms", dispatch + "max-delay=50ms", dispatch + "max-attempts=100000"};
        try (ShopProcess running = startShop("outage", often);
                ShopProcess pressed = startShop("outage", "--retryon.durable.threads=0")) {
            running.fail(0, 2);
            visit(pressed.port());
            open("calls?state=waiting");
            button("Pause… lane default").click();
            Instant beforePause = Instant.now();
            await().until(() -> lastAttempt(running).isAfter(beforePause));

            Instant paused = Instant.now();
            confirm();
            AtomicReference<Instant> last = new AtomicReference<>();
            await().during(Duration.ofSeconds(2)).until(() -> {
                Instant now = lastAttempt(running);
                return now.equals(last.getAndSet(now));
            });
            assertThat(Duration.between(paused, last.get())).isLessThan(Duration.ofSeconds(2));
            Locator lane = page.getByLabel("Lanes").locator("tbody tr");
            assertThat(lane).containsText("paused");
            refresh();
            assertThat(lane.locator("td[data-label=Waiting]")).hasText("2");
            assertThat(lane.locator("td[data-label=Lag]")).hasText(Pattern.compile("^[1-9][\\d.]* s$"));

            button("Resume… lane default").click();
            Instant resumed = Instant.now();
            confirm();
            await().until(() -> lastAttempt(running).isAfter(resumed));
            assertThat(Duration.between(
                            resumed,
                            attempts(running)
                                    .filter(resumed::isBefore)
                                    .min(naturalOrder())
                                    .orElseThrow()))
                    .isLessThan(Duration.ofSeconds(2));
        }
        nothingIsWrong();
    }

    private Instant lastAttempt(ShopProcess shop) throws IOException, InterruptedException {
        return attempts(shop).max(naturalOrder()).orElseThrow();
    }

    /** When the latest attempts of a process failed, which they do immediately. */
    private Stream<Instant> attempts(ShopProcess shop) throws IOException, InterruptedException {
        List<String> times = JsonPath.read(read(shop, "retryonevents?name=Invoices.dispatch"), "$.events[*].at");
        return times.stream().map(Instant::parse);
    }

    @Test
    void aChangeForAllNodesReachesBothProcessesAndEndsOnBoth() throws Exception {
        open("overview");
        Locator policy = page.locator("tr").filter(new Locator.FilterOptions().setHasText("calm"));
        policy.getByText("Switch off…").click();
        page.getByLabel("Where").selectOption("all");
        confirm();
        assertThat(page.locator(".notice").first()).containsText("are switched off on all nodes.");

        for (ShopProcess shop : List.of(one, other)) {
            awaitChange(shop, "policies/calm", true);
        }
        refresh();
        button("Revert… policies/calm").click();
        confirm();
        for (ShopProcess shop : List.of(one, other)) {
            awaitChange(shop, "policies/calm", false);
        }
        nothingIsWrong();
    }

    /** A load balancer decides which node receives it, so the page names that one afterwards. */
    @Test
    void aChangeForOneNodeNamesTheNodeThatHasReceivedIt() throws Exception {
        open("overview");
        answerInTurn();
        button("Switch off all retries…").click();
        assertThat(page.locator("dialog"))
                .containsText("Several processes respond at this address, so another node can receive the change.");
        assertThat(page.getByLabel("Where").locator("option").first())
                .hasText(Pattern.compile("this node, .+(" + one.pid() + "|" + other.pid() + ")"));
        confirm();

        assertThat(page.locator(".notice").first())
                .containsText(Pattern.compile(
                        "All retries are switched off on .+(" + one.pid() + "|" + other.pid() + ")\\."));
        String notice = page.locator(".notice").first().innerText();
        ShopProcess changed = notice.contains(one.pid()) ? one : other;
        assertThat(changesOf(changed)).contains("");
        assertThat(changesOf(changed == one ? other : one)).doesNotContain("");

        page.waitForCondition(() -> {
            refresh();
            return page.locator(".changes").count() > 0
                    && page.locator(".changes").innerText().contains(changed.pid() + " only");
        });
        button("Revert… everything").click();
        page.waitForCondition(() -> {
            page.waitForResponse(
                    response -> response.request().method().equals("DELETE"),
                    () -> page.locator("dialog button[type=submit]").click());
            // The requests take turns, and another node answers the next one.
            page.waitForResponse(response -> response.url().contains("summary=true"), this::refresh);
            return page.locator("dialog").count() == 0;
        });
        awaitChange(changed, "", false);
        nothingIsWrong();
    }

    /** Refreshes until both processes have answered, and one of them again. */
    private void answerInTurn() {
        for (int i = 0; i < 3; i++) {
            page.waitForResponse(response -> response.url().contains("summary=true"), this::refresh);
        }
        assertThat(page.locator("#nodes")).containsText("Several processes respond");
    }

    private void awaitChange(ShopProcess shop, String path, boolean isThere) {
        await().untilAsserted(() -> assertThat(changesOf(shop).contains(path)).isEqualTo(isThere));
    }

    /** The paths of the changes in a process; that of a change of all retries is empty. */
    private List<String> changesOf(ShopProcess shop) throws IOException, InterruptedException {
        return JsonPath.read(read(shop, "retryon?summary=true"), "$.changes[*].path");
    }

    private String read(ShopProcess shop, String path) throws IOException, InterruptedException {
        return client.send(request(shop, path).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static HttpRequest.Builder request(ShopProcess shop, String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + shop.port() + "/actuator/" + path));
    }
}
