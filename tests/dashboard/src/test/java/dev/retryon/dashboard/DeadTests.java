// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.durable.DeadLetters;
import dev.retryon.durable.internal.engine.DeadLetterStore;
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

/** The view "Dead", and that of a dead letter. */
@Tag("browser")
class DeadTests extends BrowserSession {

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void sendsOneDeadLetterAgainAndDiscardsAnother(WebApplicationType stack) throws Exception {
        logIn(stack);
        Shops.trouble(context);
        context.getBean(DashboardApplication.Outside.class).down = false;
        open("dead");
        page.locator(".row a").first().click();
        assertThat(page.locator(".facts")).containsText("<script>document.title='owned'</script>");
        assertThat(page.locator(".arguments")).containsText("a@shop.example");

        button("Retry…").click();
        page.locator("dialog button[type=submit]").click();

        assertThat(page.locator(".heading .badge")).hasText("resolved");
        open("dead");
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
        open("dead");
        assertThat(page.locator(".heading [role=status]")).hasText("3 match");
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

        assertThat(page.locator(".heading [role=status]")).hasText("4 match");
        nothingIsWrong();
    }

    @Test
    void anEmptyListNamesTheDeadLettersThatAreBeingSentAgain() throws Exception {
        visit();
        put(0, 1);
        context.getBean(DeadLetters.class).retry("letter-000000", Duration.ofHours(1));

        open("dead");

        assertThat(page.getByText("1 being sent again")).isVisible();
        page.evaluate("() => { const empty = document.querySelector('.empty'); window.texts = [];"
                + " new MutationObserver(() => texts.push(empty.textContent)).observe(empty, {childList: true}); }");
        page.waitForResponse(response -> response.url().contains("status=retrying"), this::refresh);
        assertThat((List<?>) page.evaluate("texts")).as("texts of a refresh").isEmpty();
        page.getByText("1 being sent again").click();
        assertThat(page.locator(".row .badge")).hasText("retrying");
        nothingIsWrong();
    }

    @Test
    void discardsOnlyTheLettersThatWereCounted() throws Exception {
        visit();
        DeadLetterStore store = store();
        put(0, 3);
        page.clock().install();
        open("dead");
        button("Discard all 3…").click();
        assertThat(page.locator("dialog")).containsText("Discard all 3 that match");

        int died = 120_000; // now
        put(died, died + 1);
        confirm();
        awaitEndOfTask();
        page.clock().fastForward(2_000);

        assertThat(page.locator(".task")).containsText("3 moved, 0 skipped of 3");
        assertThat(store.count(DeadLetterFilter.of(DeadLetterStatus.DEAD))).isOne();
        nothingIsWrong();
    }

    @Test
    void dealsWithASelectionAndWithAllThatMatch() throws Exception {
        visit();
        DeadLetterStore store = store();
        DashboardApplication.put(store, 0, 300, "Mails.send", "java.net.ConnectException", "refused");
        DashboardApplication.put(store, 300, 340, "Invoices.print", "java.io.IOException", "paper jam");
        page.clock().install();
        open("dead");
        assertThat(page.locator(".heading")).containsText("340 match");

        page.locator(".row input").nth(0).check();
        page.locator(".row input").nth(1).check();
        button("Discard selected (2)…").click();
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator(".notice")).containsText("2 discarded, 0 skipped");

        page.getByLabel("Method").fill("Mails.send");
        button("Filter").click();
        assertThat(page).hasURL(Pattern.compile("#dead\\?method=Mails.send$"));
        assertThat(page.locator(".heading")).containsText("300 match");
        button("Discard all 300…").click();
        assertThat(page.locator("dialog")).containsText("method Mails.send");
        page.getByLabel("At most per second").fill("20");
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator(".task")).containsText("running");
        button("Cancel the task…").click();
        confirm();
        awaitEndOfTask();
        page.clock().fastForward(2_000);
        assertThat(page.locator(".task")).containsText("cancelled");
        long discarded = store.count(DeadLetterFilter.of(DeadLetterStatus.DISCARDED));
        assertThat(discarded).isBetween(2L, 301L);
        assertThat(page.locator(".task")).containsText((discarded - 2) + " moved");
        nothingIsWrong();
    }

    @Test
    void scrollsThroughAListOfSeveralPages() {
        visitReadOnly();
        put(0, 1_000);
        open("dead");

        scroll(4);

        assertThat(page.locator(".heading")).containsText("1,000 match");
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
        open("now");
        assertThat(page.locator(".names tbody tr")).hasCount(503);
        print("500 names and 100 000 dead letters, Now", ".names tbody tr");
        open("dead");
        assertThat(page.locator(".row").first()).isVisible();
        print("500 names and 100 000 dead letters, Dead", ".row");

        scroll(20);

        assertThat(page.locator(".heading")).containsText("100,000 match");
        nothingIsWrong();
    }

    /** Scrolls to the end of the list, which loads the next page, and again. Only the rows in sight are in the document. */
    private void scroll(int pages) {
        for (int i = 0; i < pages; i++) {
            page.evaluate(
                    "() => { const list = document.querySelector('.list'); list.scrollTop = list.scrollHeight; }");
            page.waitForFunction("i => Number(document.querySelector('.rows').offsetHeight) > (i + 1) * 200 * 56", i);
        }
        assertThat(page.locator(".row").count()).isLessThan(100);
    }

    @Test
    void timesAreThoseOfTheReaderAndInUtcOnHover() {
        visitReadOnly();
        put(0, 1);
        open("letter?id=letter-000000");

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

    private DeadLetterStore store() {
        return context.getBean(DeadLetterStore.class);
    }

    private void put(int from, int to) {
        DashboardApplication.put(store(), from, to, "Mails.send", "java.io.IOException", "down");
    }

    /** The page reads a task at an interval. */
    private void awaitEndOfTask() {
        DeadLetters letters = context.getBean(DeadLetters.class);
        await().until(() -> letters.task().orElseThrow().state() != DeadLetters.Task.State.RUNNING);
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
