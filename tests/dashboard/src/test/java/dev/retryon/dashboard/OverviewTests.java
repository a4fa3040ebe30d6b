// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import dev.retryon.Retry;
import dev.retryon.dashboard.internal.CounterHistory;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.spring.RetryRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;

/** The view "Overview". */
@Tag("browser")
class OverviewTests extends BrowserSession {

    @Test
    void showsWhatIsInTroubleFirstAndWhy() throws Exception {
        showTrouble(WebApplicationType.SERVLET);
    }

    @Test
    @Tag("endurance")
    void showsWhatIsInTroubleFirstAndWhyOnWebFlux() throws Exception {
        showTrouble(WebApplicationType.REACTIVE);
    }

    private void showTrouble(WebApplicationType stack) throws Exception {
        start(stack);
        DashboardApplication.makeNames(context.getBean(RetryRegistry.class), 100);
        page.clock().install();
        open("overview");
        assertThat(page.locator(".methods tbody tr")).hasCount(20);
        assertThat(button("Show 83 quiet methods")).isVisible();
        assertThat(page.locator(".methods tbody tr").first()).not().containsText("failing");

        Shops.trouble(context);
        page.clock().fastForward(5_000);

        // without a reload
        assertThat(page.locator(".methods tbody tr").first()).containsText("failing");
        assertThat(page.locator(".methods tbody tr").first()).containsText("Payments.charge");
        assertThat(page.locator(".figure dt")).hasText(new String[] {
            "Methods failing",
            "Methods retrying",
            "Waiting in memory",
            "Retries denied",
            "Waiting calls",
            "Dead letters"
        });
        assertThat(page.locator(".figure .note")).hasText(new String[] {
            "last 2 minutes, this process",
            "last 2 minutes, this process",
            "now, this process",
            "since start, this process",
            "now, all processes",
            "now, all processes"
        });
        assertThat(value("Methods failing")).hasText("2");
        assertThat(page.locator("section").filter(new Locator.FilterOptions().setHasText("Why attempts failed")))
                .containsText("gave up: exhausted");
        Locator causes = page.getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("Why attempts failed"));
        assertThat(causes.getByText("Payments.charge").first()).isVisible();
        assertThat(causes.getByText("Mails.send").first()).isVisible();
        assertThat(page.locator(".methods .spark svg path").first()).isVisible();
        nothingIsWrong();
    }

    @Test
    void countsStoredCallsApartFromThoseThatWaitInMemory() throws Exception {
        visit();
        context.getBean(DashboardApplication.Outside.class).down = true;
        context.getBean(DashboardApplication.Invoices.class).dispatch("ann@shop.example", "secret");

        open("overview");

        assertThat(value("Waiting in memory")).hasText("0");
        assertThat(value("Waiting calls")).hasText("1");
        figure("Waiting calls").getByRole(AriaRole.LINK).click();
        assertThat(page.locator("main h1")).hasText("Calls");
        assertThat(page.locator(".tabs [aria-current=page]")).hasText("Waiting 1");
        nothingIsWrong();
    }

    /** Whoever looks at three o'clock must not read that a method is healthy whose calls are paused. */
    @Test
    void aMethodWithStoredCallsIsNotHealthy() throws Exception {
        visit();
        context.getBean(DashboardApplication.Outside.class).down = true;
        DashboardApplication.Invoices invoices = context.getBean(DashboardApplication.Invoices.class);
        invoices.dispatch("ann@shop.example", "secret");
        invoices.dispatch("bob@shop.example", "secret");

        open("overview");
        Locator row =
                page.locator(".methods tbody tr").filter(new Locator.FilterOptions().setHasText("Invoices.dispatch"));
        assertThat(row).containsText("waiting (2)");
        assertThat(row).not().containsText("healthy");
        assertThat(row).containsText("IOException in stored calls since ");
        row.getByRole(AriaRole.LINK, new Locator.GetByRoleOptions().setName("waiting (2)"))
                .click();
        assertThat(page.locator(".tabs [aria-current=page]")).hasText("Waiting 2");
        assertThat(page.getByLabel("Method", new Page.GetByLabelOptions().setExact(true)))
                .hasValue("Invoices.dispatch");

        String id = page.locator(".row").first().getAttribute("data-id");
        context.getBean(StoredCalls.class).giveUp(id, null);
        open("calls?state=waiting");
        button("Pause… lane default").click();
        page.locator("dialog")
                .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Pause"))
                .click();
        assertThat(page.locator("dialog[open]")).hasCount(0);
        open("overview");
        assertThat(row).containsText("paused (1)");
        assertThat(row).containsText("dead (1)");
        row.getByRole(AriaRole.LINK, new Locator.GetByRoleOptions().setName("Invoices.dispatch"))
                .click();
        assertThat(page.locator(".heading .badge").filter(new Locator.FilterOptions().setHasText("paused (1)")))
                .isVisible();
        assertThat(page.locator("main"))
                .containsText("Lane default is paused, so stored calls run after the pause ends. Paused until ");
        button("Resume… lane default").click();
        confirm();
        assertThat(button("Resume… lane default")).hasCount(0);
        assertThat(page.locator(".heading .badge").filter(new Locator.FilterOptions().setHasText("waiting (1)")))
                .isVisible();
        nothingIsWrong();
    }

    /** A store that is away answers late, after the page has refreshed: that answer must not get lost. */
    @Test
    void aStoreThatAnswersLateWithAnErrorIsUnknown() {
        visit();
        List<Route> held = new ArrayList<>();
        page.route("**/retryoncalls?*", route -> {
            if (held.size() < 2) {
                held.add(route);
            } else {
                route.fulfill(new Route.FulfillOptions().setStatus(404));
            }
        });
        page.clock().install();
        open("overview");
        page.waitForCondition(() -> held.size() == 2);
        assertThat(value("Dead letters")).hasText("…");
        page.waitForResponse(
                response -> response.url().contains("summary=true"),
                () -> page.clock().fastForward(16_000));

        held.forEach(route -> route.fulfill(new Route.FulfillOptions().setStatus(404)));

        assertThat(value("Dead letters")).hasText("unknown");
        assertThat(value("Waiting calls")).hasText("unknown");
        page.setViewportSize(400, 860);
        assertThat(page.evaluate("() => new Set([...document.querySelectorAll('.figure')]"
                        + ".map(figure => figure.getBoundingClientRect().top)).size"))
                .as("rows of figures")
                .isEqualTo(2);
        assertThat(page.locator("main .problem"))
                .containsText(Pattern.compile(
                        "Stored calls have not been readable since \\d.+ The endpoint .+" + " \\(404\\)\\."));
        assertThat(page.locator(".methods tbody .badge")
                        .getByText("healthy", new Locator.GetByTextOptions().setExact(true)))
                .hasCount(0);
        assertThat(page.locator(".methods tbody .badge").getByText(" here").first())
                .isVisible();

        page.unroute("**/retryoncalls?*");
        page.waitForResponse(
                response -> response.url().contains("state=dead"),
                () -> page.clock().fastForward(16_000));
        assertThat(value("Dead letters")).hasText("0");
        assertThat(page.locator("main .problem")).isEmpty();
        assertThat(page.locator(".methods tbody .badge").getByText(" here")).hasCount(0);
        nothingIsWrong();
    }

    /** Another process has failed. This one has not, and must not contradict the dead letters. */
    @Test
    void deadLettersOfAnotherProcessAreNoFailuresOfThisOne() {
        start(WebApplicationType.SERVLET);
        DashboardApplication.put(
                context.getBean(CallStore.class), 0, 3, "Mails.send", "java.net.ConnectException", "timed out");
        open("overview");

        Locator mails = page.locator(".methods tbody tr").filter(new Locator.FilterOptions().setHasText("Mails.send"));
        assertThat(mails.locator(".badge")).hasText(new String[] {"dead (3)"});
        assertThat(mails).containsText("ConnectException in stored calls since ");
        assertThat(page.getByText("No attempt has failed in this process since it started."))
                .isVisible();
        mails.getByRole(AriaRole.LINK, new Locator.GetByRoleOptions().setName("Mails.send"))
                .click();
        assertThat(page.getByText("In this process since it started:")).isVisible();
        nothingIsWrong();
    }

    @Test
    void quietMethodsOfManyAreShownOnRequest() throws Exception {
        start(WebApplicationType.SERVLET);
        DashboardApplication.makeNames(context.getBean(RetryRegistry.class), 500);
        Shops.trouble(context);
        open("overview");

        assertThat(page.locator(".methods tbody tr")).hasCount(20);
        assertThat(page.locator(".methods tbody tr").first()).containsText("failing");
        assertThat((Integer) page.evaluate("() => document.documentElement.scrollHeight"))
                .isLessThan(3000);
        page.getByLabel("Methods", new Page.GetByLabelOptions().setExact(true)).fill("partner-49");
        assertThat(page.locator(".methods tbody tr")).hasCount(10);
        page.getByLabel("Methods", new Page.GetByLabelOptions().setExact(true)).fill("");
        button("Show 483 quiet methods").click();
        assertThat(page.locator(".methods tbody tr")).hasCount(503);
        nothingIsWrong();
    }

    /** Behind a load balancer, requests reach processes in turn. */
    @Test
    void namesTheProcessAndWarnsIfAnotherOneAnswers() {
        visit();
        open("overview");
        String name = page.locator("#node").innerText();
        assertThat(name).matches(".+:" + ProcessHandle.current().pid());
        assertThat(page.locator("#nodes")).isEmpty();

        page.route(
                "**/retryon?summary=true",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setBody(route.fetch().text().replace("\"node\":\"" + name, "\"node\":\"other:7"))
                        .setContentType("application/json")));
        refresh();
        assertThat(page.locator("#node")).hasText("other:7");
        assertThat(page.locator("#nodes")).containsText("other:7 now responds instead of " + name);
        button("Switch off all retries…").click();
        assertThat(page.locator("dialog")).containsText("The change applies only to this node, other:7.");
        page.keyboard().press("Escape");

        page.unroute("**/retryon?summary=true");
        refresh();
        assertThat(page.locator("#node")).hasText(name);
        assertThat(page.locator("#nodes"))
                .containsText("Several processes respond at this address: " + name + ", other:7.");
        button("Switch off all retries…").click();
        assertThat(page.locator("dialog")).containsText("another node can receive the change");
        nothingIsWrong();
    }

    /** The page cannot choose the process that receives a change, so it names that one afterwards. */
    @Test
    void namesTheProcessThatHasReceivedAChange() {
        visit();
        open("overview");
        String name = page.locator("#node").innerText();
        String asOther = "\"node\":\"other:7\"";
        page.route(
                "**/retryon?summary=true",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setBody(route.fetch().text().replace("\"node\":\"" + name + "\"", asOther))
                        .setContentType("application/json")));
        refresh();
        assertThat(page.locator("#node")).hasText("other:7");

        button("Switch off all retries…").click();
        assertThat(page.locator("dialog")).containsText("The change applies only to this node, other:7.");
        confirm();

        assertThat(page.locator(".notice").first()).containsText("All retries are switched off on " + name + ".");
        page.unroute("**/retryon?summary=true");
        refresh();
        assertThat(page.locator(".changes")).containsText("everything: on " + name + " only retryable = false");
        button("Revert… everything").click();
        assertThat(page.locator("dialog")).containsText("no longer applies on " + name);
        confirm();
        refresh();
        assertThat(page.locator(".changes")).hasCount(0);
        nothingIsWrong();
    }

    /** When the trouble began, in numbers too. */
    @Test
    void showsTheLastHours() throws Exception {
        start(
                WebApplicationType.SERVLET,
                "--management.endpoint.retryondashboard.metrics-link=/grafana/d/retryon?var-name={name}");
        Shops.trouble(context);
        CounterHistory history = context.getBean(CounterHistory.class);
        history.count();
        history.sample();
        page.setViewportSize(400, 860);
        open("overview");

        Locator trends = page.locator(".trend");
        assertThat(trends).hasCount(4);
        assertThat(trends.locator("strong"))
                .hasText(new String[] {"Retries", "Failed calls", "Waiting calls", "Dead letters"});
        assertThat(trends.first().getByRole(AriaRole.IMG))
                .hasAccessibleName(
                        Pattern.compile("Retries in the last 12 hours: (\\d+) in total, peak \\1 at .*, \\1 since .*"));
        assertThat(trends.last().getByRole(AriaRole.IMG))
                .hasAccessibleName(Pattern.compile("Dead letters in the last 12 hours: peak 3 at [^,]+"));
        assertThat(page.locator("main")).containsText("a restart clears this history");
        page.getByText("Numbers by hour").focus();
        page.keyboard().press("Enter");
        Locator table = page.getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("Numbers by hour"));
        assertThat(table.locator("tbody tr").first()).isVisible();
        assertThat(table.locator("tbody tr").first().locator("td").last()).hasText("3");
        audit("the last hours");

        page.setViewportSize(1280, 800);
        page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("Last 12 hours"))
                .click();
        assertThat(page).hasURL(Shops.address(context) + "#overview?period=12h");
        assertThat(page.locator(".methods thead")).containsText("Last 12 hours");
        Locator mails = page.locator(".methods tbody tr").filter(new Locator.FilterOptions().setHasText("Mails.send"));
        assertThat(mails.getByRole(AriaRole.IMG))
                .hasAccessibleName(
                        Pattern.compile(
                                "last 12 hours: retries \\d+, failed calls \\d+, waiting calls at most 0, dead letters at most 3"));
        mails.getByRole(AriaRole.LINK, new Locator.GetByRoleOptions().setName("Mails.send"))
                .click();
        assertThat(page.locator(".trend")).hasCount(4);
        assertThat(page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("Metrics")))
                .hasAttribute("href", "/grafana/d/retryon?var-name=Mails.send");
        audit("the last hours of a method");
        nothingIsWrong();
    }

    @Test
    void saysThatTheLastHoursWereQuiet() {
        start(WebApplicationType.SERVLET);
        CounterHistory history = context.getBean(CounterHistory.class);
        history.count();
        history.sample();
        open("overview");

        assertThat(page.locator("main")).containsText("No retries, failed calls, waiting calls or dead letters.");
        assertThat(page.locator(".trend")).hasCount(0);
        nothingIsWrong();
    }

    @Test
    void aMethodWhoseLatestCallsSucceedIsNotFailing() throws Exception {
        start(WebApplicationType.SERVLET);
        Shops.trouble(context);
        open("overview");
        Locator charge =
                page.locator(".methods tbody tr").filter(new Locator.FilterOptions().setHasText("Payments.charge"));
        assertThat(charge.locator(".badge").first()).hasText("failing");
        assertThat(value("Methods failing")).hasText("2");

        context.getBean(DashboardApplication.Outside.class).down = false;
        Shops.payments(context, 20);
        refresh();

        assertThat(charge.locator(".badge").first()).not().hasText("failing");
        assertThat(value("Methods failing")).hasText("1");
        context.getBean(CounterHistory.class).sample();
        Shops.payments(context, 20);
        refresh();
        assertThat(charge.locator(".badge").first()).hasText("failed earlier");
        assertThat(value("Methods retrying")).hasText("0");

        context.getBean(DashboardApplication.Outside.class).down = true;
        Shops.payments(context, 1);
        refresh();
        assertThat(charge.locator(".badge").first()).hasText("failing");
        nothingIsWrong();
    }

    private Locator figure(String name) {
        return page.locator(".figure").filter(new Locator.FilterOptions().setHasText(name));
    }

    private Locator value(String name) {
        return figure(name).locator("dd").first();
    }

    @Test
    void aNameBreaksBetweenItsWords() throws Exception {
        visit();
        String name = "SubscriptionRenewalReminderService.sendAllRemindersOfPartnersInEuropeBeforeTheirContractsEnd";
        Retry retry = context.getBean(RetryRegistry.class).retry(name, DashboardApplication.twice());
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> retry.call(() -> {
                    throw new IOException("down");
                }));
        page.setViewportSize(1280, 800);
        open("overview");
        Locator names = page.locator(".methods tbody th").filter(new Locator.FilterOptions().setHasText(name));
        assertThat(names).isVisible();
        assertThat(page.getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("Why attempts failed")))
                .containsText(name);

        Object broken = page.evaluate("() => { const found = [], range = document.createRange();"
                + " const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);"
                + " while (texts.nextNode()) { range.selectNodeContents(texts.currentNode);"
                + " if (!/\\s/.test(range.toString()) && range.getClientRects().length > 1) found.push(range.toString()); }"
                + " return found; }");

        assertThat((List<?>) broken).isEmpty();
        nothingIsWrong();
    }
}
