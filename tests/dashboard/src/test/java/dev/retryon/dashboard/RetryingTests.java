// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.retryon.durable.internal.call.WaitingCalls;
import dev.retryon.durable.internal.engine.CallLedger;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;

/** The view "Retrying", and that of a durable call. */
@Tag("browser")
class RetryingTests extends BrowserSession {

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void showsDurableCallsThatWaitHasOneMadeAndGivesOneUp(WebApplicationType stack) throws Exception {
        logIn(stack);
        open("retrying");
        assertThat(page.locator("main")).containsText("No call waits for its next attempt");
        dispatch("ann@shop.example", "bob@shop.example");

        open("retrying?method=Invoices.dispatch&error=java.io.IOException&age=1h");
        assertThat(page.locator(".heading")).containsText("2 match");
        assertThat(page.locator(".row")).hasCount(2);
        assertThat(page.locator(".row").first()).containsText("waiting");
        assertThat(page.locator(".row").first()).containsText("in 59 m");
        assertThat(page.locator(".columns-of")).containsText("next attempt");
        page.locator(".row a").first().click();
        assertThat(page.locator(".arguments")).containsText("ann@shop.example");
        assertThat(page.locator(".arguments")).containsText("[redacted]");
        assertThat(page.locator("main")).containsText("<script>document.title='owned'</script>");
        button("Retry now…").click();
        confirm();
        awaitWaiting(1);
        refresh();
        assertThat(page.locator("main h1")).hasText("No longer waiting");

        open("retrying");
        assertThat(page.locator(".row")).hasCount(1);
        page.locator(".row a").first().click();
        button("Give up…").click();
        page.getByLabel("Reason").fill("customer <b>has left</b>");
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator(".heading .badge")).hasText("dead");
        assertThat(page.locator("main")).containsText("by operator");
        nothingIsWrong();
    }

    @Test
    void retriesAndGivesUpManyDurableCalls() throws Exception {
        visit();
        dispatch("ann@shop.example", "ann@shop.example", "ann@shop.example", "ann@shop.example");
        page.clock().install();
        open("retrying");
        button("Pause calls…").click();
        page.getByLabel("or lane").fill("default");
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator(".changes").first()).containsText("Lane default: 4 waiting, paused");
        button("Resume…").click();
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator(".changes")).hasCount(0);

        open("retrying?lane=mail");
        assertThat(page.locator("main")).containsText("No entry matches this filter");

        open("retrying?lane=default");
        page.locator(".row input[type=checkbox]").first().check();
        button("Give up selected (1)…").click();
        page.getByLabel("Reason").fill("has left");
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator(".heading")).containsText("3 match");

        button("Retry all 3…").click();
        assertThat(page.locator("dialog")).containsText("Retry now all 3 that match");
        assertThat(page.locator("dialog")).containsText("The filter is: lane default.");
        confirm();
        awaitWaiting(0);
        // The page reads a task at an interval.
        page.clock().fastForward(10_000);
        assertThat(page.locator(".task")).containsText("3 moved");
        assertThat(page.locator("main")).containsText("No entry matches this filter");
        nothingIsWrong();
    }

    /** Calls whose first attempt fails, and whose next one will not. */
    private void dispatch(String... recipients) throws IOException {
        DashboardApplication.Outside outside = context.getBean(DashboardApplication.Outside.class);
        outside.down = true;
        for (String recipient : recipients) {
            context.getBean(DashboardApplication.Invoices.class).dispatch(recipient, "secret");
        }
        outside.down = false;
    }

    private void awaitWaiting(long count) {
        CallLedger ledger = context.getBean(WaitingCalls.class).ledger();
        await().until(() -> ledger.count(CallLedger.Filter.ALL) == count);
    }
}
