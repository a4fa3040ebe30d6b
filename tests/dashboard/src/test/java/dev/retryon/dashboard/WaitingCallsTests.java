// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import java.io.IOException;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;

/** Waiting calls in the view "Calls", the view of one of them, and pauses. */
@Tag("browser")
class WaitingCallsTests extends BrowserSession {

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void showsCallsThatWaitRunsOneNowAndGivesOneUp(WebApplicationType stack) throws Exception {
        logIn(stack);
        open("calls?state=waiting");
        assertThat(page.locator("main")).containsText("No call is waiting");
        dispatch("ann@shop.example", "bob@shop.example");

        open("calls?state=waiting&method=Invoices.dispatch&error=java.io.IOException&age=1h");
        assertThat(page.locator(".heading")).containsText("2 calls");
        assertThat(page.locator(".row")).hasCount(2);
        assertThat(page.locator(".row").first()).containsText("waiting");
        assertThat(page.locator(".row").first()).containsText("in 59 m");
        assertThat(page.locator(".row").first()).containsText("to: \"ann@shop.example\", text: [redacted]");
        assertThat(page.locator(".columns-of")).containsText("Next attempt");
        page.locator(".row a").first().click();
        assertThat(page.locator(".arguments")).containsText("ann@shop.example");
        assertThat(page.locator(".arguments")).containsText("[redacted]");
        assertThat(page.locator("main")).containsText("<script>document.title='owned'</script>");
        button("Run now…").click();
        confirm();
        awaitWaiting(1);
        refresh();
        assertThat(page.locator("main h1")).hasText("No longer stored");

        open("calls?state=waiting");
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
    void runsAndGivesUpManyCalls() throws Exception {
        visit();
        dispatch("ann@shop.example", "ann@shop.example", "ann@shop.example", "ann@shop.example");
        page.clock().install();
        open("calls?state=waiting");
        button("Pause calls…").click();
        page.getByLabel("or lane").fill("default");
        page.locator("dialog button[type=submit]").click();
        assertThat(lanes()).containsText("paused");
        assertThat(lanes()).containsText("4");
        assertThat(page.locator(".row .when").first()).containsText("paused");
        button("Resume… lane default").click();
        page.locator("dialog button[type=submit]").click();
        assertThat(lanes()).containsText("open");
        assertThat(page.locator(".row .when").first()).not().containsText("paused");

        open("calls?state=waiting&lane=mail");
        assertThat(page.locator("main")).containsText("No call matches this filter");

        open("calls?state=waiting&lane=default");
        page.locator(".row input[type=checkbox]").first().check();
        button("Give up 1 selected waiting call…").click();
        page.getByLabel("Reason").fill("has left");
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator(".heading")).containsText("3 calls");

        button("Run all 3 waiting calls now…").click();
        assertThat(page.locator("dialog")).containsText("Run 3 waiting calls now");
        assertThat(page.locator("dialog")).containsText("Filter: lane default.");
        confirm();
        awaitWaiting(0);
        // The page reads a task at an interval.
        page.clock().fastForward(2_000);
        assertThat(page.locator(".task")).containsText("3 of 3 calls due now");
        assertThat(page.locator("main")).containsText("No call matches this filter");
        nothingIsWrong();
    }

    @Test
    void aPausedCallSaysThatItRunsAfterResume() throws Exception {
        visit();
        dispatch("ann@shop.example");
        open("calls?state=waiting");
        button("Pause… lane default").click();
        assertThat(page.locator("dialog")).hasAccessibleName("Pause lane default");
        confirm();
        assertThat(lanes()).containsText("paused");
        page.locator(".row a").click();

        assertThat(page.locator(".heading .badge")).hasText(new String[] {"waiting", "paused"});
        button("Run now…").click();
        assertThat(page.locator("dialog"))
                .containsText("Lane default is paused, so the call runs after the pause ends.");
        confirm();
        assertThat(page.locator(".notice").first())
                .containsText("The call is due now. Lane default is paused, so the call runs after the pause ends.");
        assertThat(page.locator(".heading .badge")).hasText(new String[] {"waiting", "paused"});

        button("Resume… lane default").click();
        confirm();
        assertThat(page.locator("main h1")).hasText("No longer stored");
        nothingIsWrong();
    }

    @Test
    void aLaneShowsHowLongItsFirstCallHasBeenDue() throws Exception {
        visit();
        dispatch("ann@shop.example", "bob@shop.example");
        open("calls?state=waiting");
        button("Pause… lane default").click();
        confirm();
        Locator lag = lanes().locator("td[data-label=Lag]");
        assertThat(lag).hasText("0 s");

        String id = page.locator(".row").first().getAttribute("data-id");
        assertThat(context.getBean(StoredCalls.class).runNow(id)).isTrue();
        refresh();
        assertThat(lag).hasText(Pattern.compile("^(?!0 s)[\\d.]+ m?s$"));

        // A button that is replaced while it is pressed does nothing.
        button("Resume… lane default").evaluate("button => { button.isFirst = true; }");
        String before = lag.innerText();
        page.waitForCondition(() -> {
            refresh();
            return !lag.innerText().equals(before);
        });
        assertThat(button("Resume… lane default").evaluate("button => button.isFirst"))
                .isEqualTo(true);
        nothingIsWrong();
    }

    /** The arguments are the only difference between these rows. */
    @ParameterizedTest
    @ValueSource(ints = {1280, 768, 400})
    void argumentsAreNotCutByTheNumberOfAttempts(int width) throws Exception {
        visit();
        dispatch("ann@shop.example", "bob@shop.example");
        open("calls?state=waiting");
        button("Pause… lane default").click();
        confirm();
        page.setViewportSize(width, 800);

        assertThat(page.locator(".row .when").first()).containsText("paused");
        assertThat(page.locator(".row .given").first()).isVisible();
        page.waitForFunction("() => [...document.querySelectorAll('.row .given')].every(given =>"
                + " given.scrollWidth <= given.clientWidth && given.getBoundingClientRect().right"
                + " <= given.parentElement.getBoundingClientRect().right)");
        assertThat(page.evaluate("() => [...document.querySelectorAll('.row .what > .quiet')].every(attempts =>"
                        + " attempts.getBoundingClientRect().right"
                        + " <= attempts.parentElement.getBoundingClientRect().right)"))
                .as("the number of attempts is not cut")
                .isEqualTo(true);
        audit("rows with arguments " + width);
        nothingIsWrong();
    }

    @Test
    void aPauseIsOneLineOfTheOverview() throws Exception {
        visit();
        dispatch("ann@shop.example", "bob@shop.example");
        open("calls?state=waiting");
        button("Pause… lane default").click();
        confirm();

        open("overview");

        assertThat(page.locator(".changes li")).hasCount(1);
        assertThat(page.locator(".changes li")).containsText("Lane default is paused (2 calls waiting) until ");
        button("Resume… lane default").click();
        confirm();
        assertThat(page.locator(".changes li")).hasCount(0);
        nothingIsWrong();
    }

    private Locator lanes() {
        return page.getByRole(
                        AriaRole.REGION,
                        new Page.GetByRoleOptions().setName("Lanes").setExact(true))
                .locator("tbody tr");
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
        CallStore ledger = context.getBean(CallStore.class);
        await().until(() -> ledger.count(StoredCalls.Filter.of(State.WAITING, State.RUNNING)) == count);
    }
}
