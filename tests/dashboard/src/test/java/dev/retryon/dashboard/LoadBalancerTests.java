// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
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
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
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

    private static EmbeddedPostgres database;

    private static ShopProcess one;

    private static ShopProcess other;

    private static RoundRobin balancer;

    private final HttpClient client = HttpClient.newHttpClient();

    @BeforeAll
    static void startAll() throws IOException {
        database = EmbeddedPostgres.start();
        one = startShop();
        other = startShop();
        balancer = new RoundRobin(one.port(), other.port());
        one.fail(2, 2);
        other.fail(0, 1);
    }

    private static ShopProcess startShop() throws IOException {
        return ShopProcess.start(
                "--spring.autoconfigure.exclude=",
                "--spring.datasource.url=" + database.getJdbcUrl("postgres", "postgres"),
                "--retryon.durable.store=auto",
                "--retryon.jdbc.initialize-schema=always",
                "--retryon.jdbc.shared-settings.poll-interval=100ms",
                "--retryon.policies.calm.delay=2s",
                "--management.endpoint.retryon.access=unrestricted",
                "--management.endpoint.retryoncalls.access=unrestricted");
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
                .containsText(Pattern.compile("Several processes answer at this address: .+, .+\\."));
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
                .containsText("Several processes answer at this address, so another node can receive the change.");
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
        assertThat(page.locator("#nodes")).containsText("Several processes answer");
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
