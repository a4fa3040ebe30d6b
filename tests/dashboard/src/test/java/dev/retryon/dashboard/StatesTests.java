// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import dev.retryon.dashboard.internal.CounterHistory;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.spring.RetryRegistry;
import dev.retryon.spring.module.NodeName;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;

/**
 * The states in which operators see the page, in three widths and both themes: nothing sticks out, and no rule of accessibility is
 * violated. With {@code pictures.states}, pictures of each width in each theme are written to that folder.
 */
@Tag("browser")
@Tag("database")
@Tag("endurance")
class StatesTests extends BrowserSession {

    private static final @Nullable String PICTURES = System.getProperty("pictures.states");

    private static final List<Look> LOOKS = Stream.of(
                    new Look(1280, ColorScheme.LIGHT, true),
                    new Look(1280, ColorScheme.DARK, false),
                    new Look(768, ColorScheme.LIGHT, true),
                    new Look(768, ColorScheme.DARK, false),
                    new Look(400, ColorScheme.LIGHT, false),
                    new Look(400, ColorScheme.DARK, true))
            .filter(look -> look.always || PICTURES != null)
            .toList();

    private static final String[] UNRESTRICTED = {
        "--management.endpoint.retryon.access=unrestricted",
        "--management.endpoint.retryoncalls.access=unrestricted",
        "--management.endpoint.retryoncalls.show-values=always"
    };

    @Test
    void allIsQuiet() throws Exception {
        start(WebApplicationType.SERVLET, UNRESTRICTED);
        for (int i = 0; i < 20; i++) {
            context.getBean(DashboardApplication.Payments.class).charge(i);
        }
        record();

        look("quiet", "overview", "calls?state=waiting");
    }

    @Test
    void anOutageHasCallsInAPausedLane() throws Exception {
        start(WebApplicationType.SERVLET, UNRESTRICTED);
        Shops.trouble(context);
        for (int i = 0; i < 76; i++) {
            context.getBean(DashboardApplication.Invoices.class).dispatch("customer-" + i, "secret");
        }
        open("calls?state=waiting");
        button("Pause… lane default").click();
        confirm();
        record();
        showTwelveHours();

        look("outage", "overview", "method?name=Invoices.dispatch", "calls?state=waiting");
        open("method?name=Invoices.dispatch");
        assertThat(button("Resume… lane default")).isVisible();
        open("overview");
        assertThat(page.getByText("paused (76)").first()).isVisible();
    }

    /** Twelve hours do not fit into a test, so the answer is made up; its form is that of the endpoint. */
    private void showTwelveHours() {
        Instant latest = Instant.now().truncatedTo(ChronoUnit.HOURS);
        String values = "{\"retries\":" + values(30, 140) + ",\"failures\":" + values(30, 45) + ",\"waiting\":"
                + values(26, 76).replace("[3", "[null,null,3") + ",\"dead\":" + values(12, 3) + "}";
        page.route(
                "**/retryon?hours=true",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody("{\"interval\":\"PT5M\",\"intervals\":144,\"since\":\""
                                + latest.minus(10, ChronoUnit.HOURS)
                                + "\",\"latest\":\"" + latest + "\",\"node\":\"" + NodeName.get() + "\",\"all\":"
                                + values
                                + ",\"names\":[{\"name\":\"Invoices.dispatch\",\"hours\":" + values + "}]}")));
    }

    private static String values(int count, int most) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(i -> String.valueOf(Math.max(1, Math.round(most * Math.sin(Math.PI * i / (count + 8.0))))))
                .collect(Collectors.joining(",", "[", "]"));
    }

    @Test
    void deadLettersAreInThreeGroups() throws Exception {
        start(WebApplicationType.SERVLET, UNRESTRICTED);
        CallStore store = context.getBean(CallStore.class);
        DashboardApplication.put(store, 0, 14, "Mails.send", "java.net.ConnectException", "mail.example: timed out");
        DashboardApplication.put(store, 14, 23, "Mails.send", "java.io.IOException", "450 mailbox is locked");
        DashboardApplication.put(
                store, 23, 26, "Invoices.dispatch", "java.lang.IllegalStateException", "order 17 has no address");
        record();

        look("dead", "overview", "calls?state=dead", "call?id=letter-000025");
    }

    @Test
    void thereAreManyMethods() throws Exception {
        start(WebApplicationType.SERVLET, UNRESTRICTED);
        DashboardApplication.makeNames(context.getBean(RetryRegistry.class), 500);
        Shops.trouble(context);
        record();

        look("many", "overview", "overview?period=12h");
    }

    @Test
    void twoProcessesAnswer() throws Exception {
        try (EmbeddedPostgres database = EmbeddedPostgres.start();
                ShopProcess one = ShopProcess.start(onPostgres(database));
                ShopProcess other = ShopProcess.start(onPostgres(database));
                RoundRobin balancer = new RoundRobin(one.port(), other.port())) {
            one.fail(5, 4);
            other.fail(2, 3);
            visit(balancer.port());
            for (Look look : LOOKS) {
                set(look);
                open("overview");
                for (int i = 0; i < 2; i++) {
                    page.waitForResponse(response -> response.url().contains("summary=true"), this::refresh);
                }
                assertThat(page.locator("#nodes")).containsText("Several processes");
                take("two-processes", "overview", look);
            }
            nothingIsWrong();
        }
    }

    private static String[] onPostgres(EmbeddedPostgres database) {
        return new String[] {
            "--spring.autoconfigure.exclude=",
            "--spring.datasource.url=" + database.getJdbcUrl("postgres", "postgres"),
            "--spring.datasource.hikari.connection-timeout=1000",
            "--retryon.durable.store=auto",
            "--retryon.jdbc.initialize-schema=always",
            "--management.endpoint.retryon.access=unrestricted",
            "--management.endpoint.retryoncalls.access=unrestricted"
        };
    }

    @Test
    void theStoreIsAway() throws Exception {
        EmbeddedPostgres database = EmbeddedPostgres.start();
        start(WebApplicationType.SERVLET, onPostgres(database));
        Shops.trouble(context);
        record();
        database.close();
        open("overview");

        look("store-away", "overview");
        assertThat(page.locator(".figure").filter(new Locator.FilterOptions().setHasText("Dead letters")))
                .containsText("unknown");
        assertThat(page.getByText("The method states do not reflect waiting, paused or dead calls."))
                .isVisible();
    }

    private void record() {
        CounterHistory history = context.getBean(CounterHistory.class);
        history.count();
        history.sample();
    }

    private void look(String state, String... views) {
        for (String view : views) {
            for (Look look : LOOKS) {
                set(look);
                page.navigate("about:blank");
                page.navigate(Shops.address(context) + "#" + view);
                assertThat(page.locator("#connection")).not().isEmpty();
                page.waitForLoadState();
                take(state, view, look);
            }
        }
    }

    /** @param always whether it is looked at without pictures */
    private record Look(int width, ColorScheme theme, boolean always) {}

    private void set(Look look) {
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(look.theme()));
        page.setViewportSize(look.width(), 800);
    }

    private void take(String state, String view, Look look) {
        assertThat(page.locator("main h1")).isVisible();
        page.waitForCondition(() -> page.locator("main").innerText().length() > 100);
        assertThat(page.locator(".figures").getByText("…", new Locator.GetByTextOptions().setExact(true)))
                .hasCount(0);
        audit(state + " " + view + " " + look);
        if (PICTURES != null) {
            page.screenshot(new Page.ScreenshotOptions()
                    .setFullPage(!view.startsWith("calls"))
                    .setPath(Path.of(
                            PICTURES,
                            String.join(
                                    "-",
                                    state,
                                    view.replaceAll("\\W+", "_"),
                                    String.valueOf(look.width()),
                                    look.theme().name() + ".png"))));
        }
    }
}
