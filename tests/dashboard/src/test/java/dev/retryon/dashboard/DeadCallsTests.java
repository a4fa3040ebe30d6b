// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.spring.RetryRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;

/** Dead letters in the view "Calls", and the view of one of them. */
@Tag("browser")
class DeadCallsTests extends BrowserSession {

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void sendsOneDeadLetterAgainAndDiscardsAnother(WebApplicationType stack) throws Exception {
        logIn(stack);
        Shops.trouble(context);
        context.getBean(DashboardApplication.Outside.class).down = false;
        open("calls?state=dead");
        page.locator(".row a").first().click();
        assertThat(page.locator(".facts")).containsText("<script>document.title='owned'</script>");
        assertThat(page.locator(".arguments")).containsText("a@shop.example");

        button("Resend…").click();
        page.locator("dialog button[type=submit]").click();

        assertThat(page.locator(".heading .badge")).hasText("resolved");
        open("calls?state=dead");
        page.locator(".row a").first().click();
        button("Discard…").click();
        page.getByLabel("Reason").fill("customer <b>has left</b>");
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator(".heading .badge")).hasText("discarded");
        assertThat(page.locator("main")).containsText("customer <b>has left</b>");
        assertThat(page.locator("main")).containsText("by operator");
        nothingIsWrong();
    }

    @Test
    void aRefreshFollowsTheOneThatIsRunningSoThatNoOlderAnswerIsShownLast() {
        visit();
        put(0, 3);
        open("calls?state=dead");
        assertThat(page.locator(".heading [role=status]")).hasText("3 calls");
        assertThat(page.locator(".tabs")).containsText("Waiting 0");
        page.evaluate("""
                () => {
                  const real = window.fetch;
                  window.asked = 0;
                  window.fetch = (...request) => {
                    const answer = real(...request);
                    return ++asked > 1 ? answer : new Promise(resolve => window.release = () => resolve(answer));
                  };
                }""");

        refresh();
        refresh();
        refresh();
        assertThat(page.evaluate("asked")).isEqualTo(1);
        put(3, 4);
        page.evaluate("release()");

        assertThat(page.locator(".heading [role=status]")).hasText("4 calls");
        nothingIsWrong();
    }

    @Test
    void anEmptyListLeadsToTheCallsThatWait() throws Exception {
        visit();
        put(0, 1);
        context.getBean(StoredCalls.class).resend("letter-000000", Duration.ofHours(1));

        open("calls?state=dead");

        assertThat(page.getByText("1 call is waiting or running")).isVisible();
        page.evaluate("() => { const empty = document.querySelector('.empty'); window.texts = [];"
                + " new MutationObserver(() => texts.push(empty.textContent)).observe(empty, {childList: true}); }");
        page.waitForResponse(response -> response.url().contains("state=waiting"), this::refresh);
        assertThat((List<?>) page.evaluate("texts")).as("texts of a refresh").isEmpty();
        page.getByText("1 call is waiting or running").click();
        assertThat(page.locator(".row .badge")).hasText("waiting");
        nothingIsWrong();
    }

    @Test
    void discardsOnlyTheLettersThatWereCounted() throws Exception {
        visit();
        CallStore store = store();
        put(0, 3);
        page.clock().install();
        open("calls?state=dead");
        button("Discard all 3 dead letters…").click();
        assertThat(page.locator("dialog")).containsText("Discard 3 dead letters");

        int died = 120_000; // now
        put(died, died + 1);
        confirm();
        awaitEndOfTask();
        page.clock().fastForward(2_000);

        assertThat(page.locator(".task")).containsText("3 of 3 calls discarded, 0 skipped");
        assertThat(store.count(StoredCalls.Filter.of(State.DEAD))).isOne();
        nothingIsWrong();
    }

    @Test
    void dealsWithASelectionAndWithAllThatMatch() throws Exception {
        visit();
        CallStore store = store();
        DashboardApplication.put(store, 0, 300, "Mails.send", "java.net.ConnectException", "refused");
        DashboardApplication.put(store, 300, 340, "Invoices.print", "java.io.IOException", "paper jam");
        page.clock().install();
        open("calls?state=dead");
        assertThat(page.locator(".heading")).containsText("340 calls");

        page.locator(".row input").nth(0).check();
        page.locator(".row input").nth(1).check();
        button("Discard 2 selected dead letters…").click();
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator(".notice")).containsText("2 discarded, 0 skipped");

        page.getByLabel("Method").fill("Mails.send");
        button("Filter").click();
        assertThat(page).hasURL(Pattern.compile("#calls\\?state=dead&method=Mails.send$"));
        assertThat(page.locator(".heading")).containsText("300 calls");
        button("Discard all 300 dead letters…").click();
        assertThat(page.locator("dialog")).containsText("method Mails.send");
        page.getByLabel("Maximum per second").fill("20");
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator(".task")).containsText("running");
        button("Cancel the task…").click();
        confirm();
        awaitEndOfTask();
        page.clock().fastForward(2_000);
        assertThat(page.locator(".task")).containsText("cancelled");
        long discarded = store.count(StoredCalls.Filter.of(State.DISCARDED));
        assertThat(discarded).isBetween(2L, 301L);
        assertThat(page.locator(".task")).containsText((discarded - 2) + " of 300 calls discarded");
        nothingIsWrong();
    }

    @Test
    void comingBackFromACallShowsTheListWhereItWas() {
        visitReadOnly();
        put(0, 150);
        open("calls?state=dead");
        assertThat(page.locator(".row").first()).isVisible();
        assertThat(page.locator(".given")).hasCount(0);
        page.evaluate("() => scrollTo(0, 4000)");
        Locator row = page.locator(".row[data-index='75'] a");
        assertThat(row).isVisible();
        row.click();
        assertThat(page.locator(".facts")).isVisible();
        assertThat(page.evaluate("() => scrollY")).isEqualTo(0);

        page.getByText("← Back").click();

        assertThat(page.locator(".row[data-index='75']")).isVisible();
        assertThat(page.evaluate("() => scrollY")).isEqualTo(4000);
        nothingIsWrong();
    }

    @Test
    void isOperatedByKeyboardAlone() {
        visit();
        put(0, 60);
        open("calls?state=dead");
        assertThat(page.locator(".row").first()).isVisible();
        page.locator(".row input").first().focus();
        page.keyboard().press("Space");
        assertThat(button("Discard 1 selected dead letter…")).isVisible();
        for (int i = 0; i < 40; i++) {
            page.keyboard().press("Tab");
        }
        Object isInSight = page.evaluate("() => { const focus = document.activeElement.getBoundingClientRect();"
                + " return focus.top >= document.querySelector('main > .actions').getBoundingClientRect().bottom"
                + " && focus.bottom <= innerHeight; }");
        assertThat(isInSight).isEqualTo(true);
        for (int i = 0; i < 25; i++) {
            page.keyboard().press("Shift+Tab");
            assertThat(
                            page.evaluate(
                                    "() => document.activeElement.closest('.row') != null && document.activeElement.getBoundingClientRect().top"
                                            + " >= document.querySelector('main > .actions').getBoundingClientRect().bottom - 1"))
                    .as("focus in sight after " + i)
                    .isEqualTo(true);
        }
        button("Discard 1 selected dead letter…").focus();
        page.keyboard().press("Enter");
        page.keyboard().type("not needed");
        page.keyboard().press("Enter");
        assertThat(page.locator(".heading [role=status]")).hasText("59 calls");
        assertThat(page.locator("dialog")).hasCount(0);
        nothingIsWrong();
    }

    @Test
    void aSelectionInSeveralStatesIsOfferedTheActsThatFitEach() throws Exception {
        visit();
        put(0, 2);
        context.getBean(StoredCalls.class).resend("letter-000001", Duration.ofHours(1));
        put(2, 3);
        context.getBean(StoredCalls.class).discard("letter-000002", "not needed");
        open("calls?state=all");
        assertThat(page.locator(".row")).hasCount(3);
        assertThat(page.locator(".row input")).hasCount(2);
        assertThat(acts()).hasText(new String[] {
            "Run the waiting call now…",
            "Give up the waiting call…",
            "Resend the dead letter…",
            "Discard the dead letter…"
        });

        page.locator(".row input").nth(0).check();
        page.locator(".row input").nth(1).check();
        assertThat(acts()).hasText(new String[] {
            "Run 1 selected waiting call now…",
            "Give up 1 selected waiting call…",
            "Resend 1 selected dead letter…",
            "Discard 1 selected dead letter…"
        });
        page.locator(".row input").nth(1).uncheck();
        assertThat(acts()).hasText(new String[] {"Resend 1 selected dead letter…", "Discard 1 selected dead letter…"});
        button("Discard 1 selected dead letter…").click();
        confirm();

        assertThat(page.locator(".tabs")).containsText("Dead 0");
        page.locator(".tabs").getByText("Done").click();
        assertThat(page.locator(".row .badge")).hasText(new String[] {"discarded", "discarded"});
        assertThat(acts()).hasCount(0);
        nothingIsWrong();
    }

    private Locator acts() {
        return page.locator("main > .actions button");
    }

    @Test
    void scrollsThroughAListOfSeveralPages() {
        visitReadOnly();
        put(0, 1_000);
        open("calls?state=dead");

        scroll(4);

        assertThat(page.locator(".heading")).containsText("1,000 calls");
        assertThat(page.locator(".list")).hasAttribute("aria-rowcount", "1001"); // with the heading
        assertThat(page.locator(".row").last()).containsText("Mails.send");
        nothingIsWrong();
    }

    @Test
    @Tag("endurance")
    void scrollsThrough100000DeadLetters() {
        start(WebApplicationType.SERVLET);
        put(0, 100_000);
        DashboardApplication.makeNames(context.getBean(RetryRegistry.class), 500);
        open("overview");
        button("Show 483 quiet methods").click();
        assertThat(page.locator(".methods tbody tr")).hasCount(503);
        print("500 methods and 100 000 dead letters, Overview", ".methods tbody tr");
        open("calls?state=dead");
        assertThat(page.locator(".row").first()).isVisible();
        print("500 methods and 100 000 dead letters, Calls", ".row");

        scroll(20);

        assertThat(page.locator(".heading")).containsText("100,000 calls");
        nothingIsWrong();
    }

    /** Scrolls to the end of the page, which loads the next page, and again. Only the rows in sight are in the document. */
    private void scroll(int pages) {
        for (int i = 0; i < pages; i++) {
            page.evaluate("() => scrollTo(0, document.documentElement.scrollHeight)");
            page.waitForFunction("i => Number(document.querySelector('.rows').offsetHeight) > (i + 1) * 200 * 56", i);
        }
        assertThat(page.locator(".row").count()).isLessThan(100);
    }

    @Test
    void timesAreThoseOfTheReaderAndInUtcOnHover() {
        visitReadOnly();
        put(0, 1);
        open("call?id=letter-000000");

        Locator died = page.locator(".facts time").last();
        assertThat(died).isVisible();

        Instant instant = Instant.parse(died.getAttribute("datetime"));
        ZonedDateTime local = instant.atZone(READERS_ZONE);
        Locale english = Locale.ENGLISH;
        // A time of today is shown without its date.
        assertThat(died.innerText().replaceAll("\\h", " "))
                .isIn(
                        DateTimeFormatter.ofPattern("h:mm:ss a", english).format(local),
                        DateTimeFormatter.ofPattern("M/d/yyyy, h:mm:ss a", english)
                                .format(local));
        assertThat(died.getAttribute("title"))
                .isEqualTo(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'")
                        .format(instant.atZone(ZoneOffset.UTC)));
        nothingIsWrong();
    }

    private CallStore store() {
        return context.getBean(CallStore.class);
    }

    private void put(int from, int to) {
        DashboardApplication.put(store(), from, to, "Mails.send", "java.io.IOException", "down");
    }

    /** The page reads a task at an interval. */
    private void awaitEndOfTask() {
        StoredCalls letters = context.getBean(StoredCalls.class);
        await().until(() -> letters.task().orElseThrow().state() != StoredCalls.Task.State.RUNNING);
    }

    /** Figures of the documentation: what went over the wire, and when the rows of a view were there after the page was asked for. */
    private void print(String what, String rows) {
        page.reload();
        Object figures = page.waitForFunction(
                        "rows => document.querySelectorAll(rows).length > 0 && {shownAfterMillis: Math.round(performance.now()),"
                                + " bytes: performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))"
                                + ".filter(entry => entry.name.includes('retryondashboard'))"
                                + ".reduce((sum, entry) => sum + entry.encodedBodySize, 0)}",
                        rows)
                .jsonValue();
        System.out.println("[figures] " + what + ": " + figures);
    }
}
