/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import dev.retryon.Retry;
import dev.retryon.deadletter.DeadLetter;
import dev.retryon.deadletter.DeadLetterFilter;
import dev.retryon.deadletter.DeadLetterStatus;
import dev.retryon.deadletter.DeadLetterStore;
import dev.retryon.deadletter.InMemoryDeadLetterStore;
import dev.retryon.spring.RetryRegistry;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/** What an operator does with the page, in a real browser. */
@Tag("browser")
class DashboardTests extends BrowserSession {

    private static final List<String> VIEWS =
            List.of("now", "name?name=Payments.charge", "dead", "retrying", "letter?id=letter-000001");

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void showsWhatIsInTroubleFirstAndWhy(WebApplicationType stack) throws Exception {
        start(stack);
        DashboardApplication.makeNames(context.getBean(RetryRegistry.class), 5);
        open("now");
        assertThat(page.locator(".names tbody tr")).hasCount(7);
        assertThat(page.locator(".names tbody tr").first()).not().containsText("failing");

        Started.trouble(context);

        // without a reload
        assertThat(page.locator(".names tbody tr").first()).containsText("failing");
        assertThat(page.locator(".names tbody tr").first()).containsText("Payments.charge");
        assertThat(page.locator(".figure dt")).hasText(new String[] {
            "names failing", "names retrying", "calls waiting here", "stored calls", "retries denied", "dead letters"
        });
        assertThat(figure("names failing")).containsText("2");
        assertThat(page.locator("section").filter(new Locator.FilterOptions().setHasText("Why attempts failed")))
                .containsText("gave up: exhausted");
        Locator causes = page.getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("Why attempts failed"));
        assertThat(causes.getByText("Payments.charge").first()).isVisible();
        assertThat(causes.getByText("Mails.send").first()).isVisible();
        assertThat(page.locator(".names .spark canvas").first()).isVisible();
        nothingIsWrong();
    }

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void switchesRetriesOffAndOnAgain(WebApplicationType stack) throws Exception {
        start(stack, "--secured=true", "--management.endpoint.retryon.access=unrestricted");
        open("name?name=Payments.charge");
        assertThat(page.locator(".schedule tbody tr")).hasCount(3);

        button("Switch retries off…").click();
        assertThat(page.locator("dialog")).containsText("Calls that wait for their next attempt end now");
        page.getByLabel("For how long").fill("soon");
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator("dialog [role=alert]")).containsText("must be a duration");
        page.getByLabel("For how long").fill("30m");
        page.locator("dialog button[type=submit]").click();

        assertThat(page.locator(".notice.warn")).containsText("are switched off");
        assertThat(page.locator(".heading")).containsText("switched off");
        assertThat(page.locator("strong.operator")).containsText("by operator");
        assertThat(button("Switch retries off…")).hasCount(0);
        button("Revert changes…").click();
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator("strong.operator")).hasCount(0);

        button("Change a setting…").click();
        page.locator("dialog select").first().selectOption("retryable");
        page.getByLabel("Value").fill("false");
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator(".notice.warn").filter(new Locator.FilterOptions().setHasText("retryable of")))
                .isVisible();
        nothingIsWrong();
    }

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void sendsOneDeadLetterAgainAndDiscardsAnother(WebApplicationType stack) throws Exception {
        start(
                stack,
                "--secured=true",
                "--management.endpoint.deadletters.access=unrestricted",
                "--management.endpoint.deadletters.show-values=when-authorized");
        Started.trouble(context);
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

    @ParameterizedTest
    @EnumSource(
            value = WebApplicationType.class,
            names = {"SERVLET", "REACTIVE"})
    void showsDurableCallsThatWaitHasOneMadeAndGivesOneUp(WebApplicationType stack) throws Exception {
        start(
                stack,
                "--durable=true",
                "--secured=true",
                "--management.endpoint.durablecalls.access=unrestricted",
                "--management.endpoint.deadletters.access=unrestricted",
                "--management.endpoint.durablecalls.show-values=when-authorized");
        DashboardApplication.Outside outside = context.getBean(DashboardApplication.Outside.class);
        DashboardApplication.Invoices invoices = context.getBean(DashboardApplication.Invoices.class);
        open("retrying");
        assertThat(page.locator("main")).containsText("No call waits for its next attempt");
        outside.down = true;
        invoices.dispatch("ann@shop.example", "secret");
        invoices.dispatch("bob@shop.example", "secret");
        outside.down = false;

        open("retrying?method=Invoices.dispatch&error=java.io.IOException&age=1h");
        assertThat(page.locator(".heading")).containsText("2 match");
        assertThat(page.locator(".row")).hasCount(2);
        assertThat(page.locator(".row").first()).containsText("waiting");
        assertThat(page.locator(".row").first()).containsText("in 59 m");
        assertThat(page.locator(".columns-of")).containsText("next attempt");
        audit("calls that wait");
        page.locator(".row a").first().click();
        assertThat(page.locator(".arguments")).containsText("ann@shop.example");
        audit("a call that waits");
        assertThat(page.locator(".arguments")).containsText("[redacted]");
        assertThat(page.locator("main")).containsText("<script>document.title='owned'</script>");
        button("Retry now…").click();
        page.locator("dialog button[type=submit]").click();
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
        start(WebApplicationType.SERVLET, "--durable=true", "--management.endpoint.durablecalls.access=unrestricted");
        DashboardApplication.Outside outside = context.getBean(DashboardApplication.Outside.class);
        outside.down = true;
        for (int i = 0; i < 4; i++) {
            context.getBean(DashboardApplication.Invoices.class).dispatch("ann@shop.example", "secret");
        }
        outside.down = false;
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
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator(".task")).containsText("3 moved");
        assertThat(page.locator("main")).containsText("No entry matches this filter");
        nothingIsWrong();
    }

    @Test
    void countsStoredCallsApartFromThoseThatWaitInMemory() throws Exception {
        start(WebApplicationType.SERVLET, "--durable=true");
        context.getBean(DashboardApplication.Outside.class).down = true;
        context.getBean(DashboardApplication.Invoices.class).dispatch("ann@shop.example", "secret");

        open("now");

        assertThat(figure("calls waiting here")).containsText("0");
        assertThat(figure("stored calls")).containsText("1");
        figure("stored calls").getByRole(AriaRole.LINK).click();
        assertThat(page.locator("main h1")).hasText("Retrying");
        nothingIsWrong();
    }

    private Locator figure(String name) {
        return page.locator(".figure").filter(new Locator.FilterOptions().setHasText(name));
    }

    @Test
    void anEmptyListNamesTheDeadLettersThatAreBeingSentAgain() throws Exception {
        start(WebApplicationType.SERVLET);
        InMemoryDeadLetterStore store = context.getBean(InMemoryDeadLetterStore.class);
        DashboardApplication.put(store, 0, 1, "Mails.send", "java.io.IOException", "down");
        Instant now = Instant.now();
        store.move(
                "letter-000000",
                new DeadLetter.Action(now, null, DeadLetterStatus.RETRYING, null),
                new DeadLetterStore.Hold("key", now.plusSeconds(600)));

        open("dead");

        assertThat(page.getByText("1 being sent again")).isVisible();
        page.evaluate("() => { const empty = document.querySelector('.empty'); window.texts = [];"
                + " new MutationObserver(() => texts.push(empty.textContent)).observe(empty, {childList: true}); }");
        page.waitForResponse(
                response -> response.url().contains("status=retrying"),
                () -> page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))"));
        assertThat((List<?>) page.evaluate("texts")).as("texts of a refresh").isEmpty();
        page.getByText("1 being sent again").click();
        assertThat(page.locator(".row .badge")).hasText("retrying");
        nothingIsWrong();
    }

    @Test
    void aNameBreaksBetweenItsWords() throws Exception {
        start(WebApplicationType.SERVLET);
        String name = "SubscriptionRenewalReminderService.sendAllRemindersOfPartnersInEuropeBeforeTheirContractsEnd";
        Retry retry = context.getBean(RetryRegistry.class).retry(name, DashboardApplication.twice());
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> retry.call(() -> {
                    throw new IOException("down");
                }));
        page.setViewportSize(1280, 800);
        open("now");
        Locator names = page.locator(".names tbody th").filter(new Locator.FilterOptions().setHasText(name));
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

    /** On a telephone, nothing is cut off at the side, and names break between words. */
    @Test
    void aNarrowScreenShowsEachRowAsACard() throws Exception {
        start(WebApplicationType.SERVLET, "--management.endpoint.retryon.access=unrestricted");
        Started.trouble(context);
        page.setViewportSize(400, 860);
        for (String view : List.of("now", "name?name=Payments.charge", "dead", "letter?id=none")) {
            open(view);
            assertThat(page.locator("#connection")).hasText("live");
            assertThat(page.evaluate("() => [...document.querySelectorAll('.wide')]"
                                    + ".filter(e => e.scrollWidth > e.clientWidth).map(e => e.ariaLabel)")
                            .toString())
                    .as(view)
                    .isEqualTo("[]");
        }
        open("name?name=Payments.charge");
        assertThat(page.getByText("Show all")).isVisible();
        assertThat((Integer) page.evaluate("() => document.documentElement.scrollHeight"))
                .isLessThan(4000);
        nothingIsWrong();
    }

    @Test
    void discardsOnlyTheLettersThatWereCounted() throws Exception {
        start(WebApplicationType.SERVLET, "--management.endpoint.deadletters.access=unrestricted");
        InMemoryDeadLetterStore store = context.getBean(InMemoryDeadLetterStore.class);
        DashboardApplication.put(store, 0, 3, "Mails.send", "java.io.IOException", "down");
        open("dead");
        button("Discard all 3…").click();
        assertThat(page.locator("dialog")).containsText("Discard all 3 that match");

        int died = 120_000; // now
        DashboardApplication.put(store, died, died + 1, "Mails.send", "java.io.IOException", "down");
        page.locator("dialog button[type=submit]").click();

        assertThat(page.locator(".task")).containsText("3 moved");
        assertThat(store.count(DeadLetterFilter.of(DeadLetterStatus.DEAD))).isOne();
        nothingIsWrong();
    }

    @Test
    void dealsWithASelectionAndWithAllThatMatch() throws Exception {
        start(WebApplicationType.SERVLET, "--management.endpoint.deadletters.access=unrestricted");
        InMemoryDeadLetterStore store = context.getBean(InMemoryDeadLetterStore.class);
        DashboardApplication.put(store, 0, 300, "Mails.send", "java.net.ConnectException", "refused");
        DashboardApplication.put(store, 300, 340, "Invoices.print", "java.io.IOException", "paper jam");
        open("dead");
        assertThat(page.locator(".heading")).containsText("340 match");

        page.locator(".row input").nth(0).check();
        page.locator(".row input").nth(1).check();
        button("Discard selected (2)…").click();
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator(".notice")).containsText("2 discarded, 0 skipped");

        page.getByLabel("Method").fill("Mails.send");
        button("Filter").click();
        assertThat(page).hasURL(java.util.regex.Pattern.compile("#dead\\?method=Mails.send$"));
        assertThat(page.locator(".heading")).containsText("300 match");
        button("Discard all 300…").click();
        assertThat(page.locator("dialog")).containsText("method Mails.send");
        page.getByLabel("At most per second").fill("20");
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator(".task")).containsText("running");
        button("Cancel the task…").click();
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator(".task")).containsText("cancelled");
        long discarded = store.count(DeadLetterFilter.of(DeadLetterStatus.DISCARDED));
        assertThat(discarded).isBetween(2L, 301L);
        assertThat(page.locator(".task")).containsText((discarded - 2) + " moved");
        nothingIsWrong();
    }

    @Test
    void isReadOnlyUnlessTheOperatorAllowsMore() throws Exception {
        start(WebApplicationType.SERVLET);
        DashboardApplication.put(
                context.getBean(InMemoryDeadLetterStore.class), 0, 5, "Mails.send", "java.io.IOException", "down");
        Started.trouble(context);
        for (String view : VIEWS) {
            open(view);
            assertThat(page.locator("main h1")).isVisible();

            assertThat(page.locator("main button").allTextContents())
                    .as(view)
                    .filteredOn(text -> !text.startsWith("Show all"))
                    .isSubsetOf("Filter");
            assertThat(page.locator("main input[type=checkbox]")).hasCount(0);
        }
        nothingIsWrong();
    }

    @Test
    void scrollsThrough100000DeadLetters() throws Exception {
        start(WebApplicationType.SERVLET);
        DashboardApplication.put(
                context.getBean(InMemoryDeadLetterStore.class),
                0,
                100_000,
                "Mails.send",
                "java.io.IOException",
                "down");
        DashboardApplication.makeNames(context.getBean(RetryRegistry.class), 500);
        open("now");
        assertThat(page.locator(".names tbody tr")).hasCount(502);
        print("500 names and 100 000 dead letters, Now", ".names tbody tr");
        open("dead");
        assertThat(page.locator(".row").first()).isVisible();
        print("500 names and 100 000 dead letters, Dead", ".row");

        for (int i = 0; i < 20; i++) {
            page.evaluate(
                    "() => { const list = document.querySelector('.list'); list.scrollTop = list.scrollHeight; }");
            page.waitForFunction("i => Number(document.querySelector('.rows').offsetHeight) > (i + 1) * 200 * 56", i);
        }

        assertThat(page.locator(".row").count()).isLessThan(100);
        assertThat(page.locator(".heading")).containsText("100,000 match");
        nothingIsWrong();
    }

    @Test
    void saysThatTheConnectionIsLost() throws Exception {
        start(WebApplicationType.SERVLET);
        open("now");
        context.close();

        assertThat(page.locator("#connection")).containsText("connection lost since");
    }

    @Test
    void hostileDataIsText() throws Exception {
        start(
                WebApplicationType.SERVLET,
                "--management.endpoint.deadletters.show-values=always",
                "--management.endpoint.retryonevents.show-values=always");
        String hostile = DashboardApplication.HOSTILE;
        InMemoryDeadLetterStore store = context.getBean(InMemoryDeadLetterStore.class);
        DashboardApplication.put(store, 0, 1, hostile, "java.io.IOException", "x".repeat(10_000_000));
        DashboardApplication.put(store, 1, 2, "__proto__", "constructor", hostile);
        Started.trouble(context);
        for (String view : List.of(
                "now",
                "name?name=Payments.charge",
                "name?name=%3Cimg%20src=x%20onerror=alert(1)%3E",
                "dead",
                "dead?status=%3Cb%3E",
                "dead?text=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
                "letter?id=letter-000000",
                "letter?id=letter-000001",
                "letter?id=%3Cscript%3E")) {
            page.navigate(Started.address(context) + "#" + view);
            page.reload();
            assertThat(page.locator("#connection")).not().isEmpty();
            assertThat(page.locator("main h1")).isVisible();
            assertThat(page.locator("main img, main script, main b, main iframe"))
                    .hasCount(0);
        }
        assertThat(page.title()).doesNotContain("owned");
        assertThat(page.evaluate("() => ({}).polluted")).isNull();
    }

    @Test
    void isAccessible() throws Exception {
        start(
                WebApplicationType.SERVLET,
                "--management.endpoint.retryon.access=unrestricted",
                "--management.endpoint.deadletters.access=unrestricted");
        DashboardApplication.put(
                context.getBean(InMemoryDeadLetterStore.class), 0, 30, "Mails.send", "java.io.IOException", "down");
        Started.trouble(context);
        for (String view : VIEWS) {
            for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
                page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
                page.setViewportSize(scheme == ColorScheme.DARK ? 360 : 1280, 800);
                open(view);
                assertThat(page.locator("main h1")).isVisible();
                audit(view + " " + scheme);
            }
        }
    }

    @Test
    void switchesAPolicyOffOnAllNodes() throws Exception {
        String[] shared = {
            "--management.endpoint.retryon.access=unrestricted",
            "--spring.autoconfigure.exclude=",
            "--spring.datasource.url=jdbc:h2:mem:nodes;DB_CLOSE_DELAY=-1",
            "--retryon.durable.store=auto",
            "--retryon.jdbc.shared-settings.enabled=true",
            "--retryon.jdbc.shared-settings.poll-interval=100ms",
            "--retryon.policies.calm.delay=2s"
        };
        start(WebApplicationType.SERVLET, shared);
        try (ConfigurableApplicationContext other = Started.run(WebApplicationType.SERVLET, shared)) {
            open("now");
            Locator policy = page.locator("tr").filter(new Locator.FilterOptions().setHasText("calm"));

            policy.getByText("Switch off…").click();
            assertThat(page.locator("dialog")).containsText("other nodes apply it within seconds");
            page.getByLabel("Where").selectOption("all");
            page.locator("dialog button[type=submit]").click();

            assertThat(page.locator(".changes")).containsText("policies/calm: for all nodes retryable = false");
            page.navigate(Started.address(other) + "#now");
            assertThat(page.locator(".changes")).containsText("policies/calm: for all nodes retryable = false");
            button("Revert… policies/calm").click();
            assertThat(page.locator("dialog")).containsText("ends on all nodes");
            page.locator("dialog button[type=submit]").click();
            assertThat(page.locator(".changes")).hasCount(0);
            page.navigate(Started.address(context) + "#now");
            assertThat(page.locator(".names tbody tr")).hasCount(2);
            assertThat(page.locator(".changes")).hasCount(0);

            policy.getByText("Change a setting…").click();
            page.getByLabel("Value").fill("1");
            page.locator("dialog button[type=submit]").click();
            assertThat(page.locator(".changes")).containsText("policies/calm: maxAttempts = 1");
            hosts.removeIf(Started.address(other)::startsWith);
        }
        nothingIsWrong();
    }

    @Test
    void isOperatedByKeyboardAlone() throws Exception {
        start(WebApplicationType.SERVLET, "--management.endpoint.retryon.access=unrestricted");
        open("now");
        assertThat(page.locator(".names tbody tr")).hasCount(2);

        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Switch all retries off…"))
                .focus();
        page.keyboard().press("Enter");
        assertThat(page.locator("dialog")).isVisible();
        page.keyboard().press("Escape");
        assertThat(page.locator("dialog")).hasCount(0);
        assertThat(page.locator("main button").first()).isFocused();
        page.keyboard().press("Enter");
        page.keyboard().press("Tab");
        page.keyboard().press("Enter");
        assertThat(page.locator(".changes")).containsText("everything: retryable = false");
        nothingIsWrong();
    }

    /** Finds what keeps people from using the page as it is. */
    @Test
    void timesAreThoseOfTheReaderAndInUtcOnHover() {
        start(WebApplicationType.SERVLET);
        DashboardApplication.put(
                context.getBean(InMemoryDeadLetterStore.class), 0, 1, "Mails.send", "java.io.IOException", "down");
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

    @Test
    void nothingMovesForWhoWantsNoMotion() {
        start(WebApplicationType.SERVLET);
        DashboardApplication.put(
                context.getBean(InMemoryDeadLetterStore.class), 0, 1, "Mails.send", "java.io.IOException", "down");
        open("letter?id=letter-000000");
        assertThat(page.locator(".heading .badge")).hasCSS("transition-duration", "0.2s");

        page.emulateMedia(new Page.EmulateMediaOptions().setReducedMotion(ReducedMotion.REDUCE));

        assertThat(page.locator(".heading .badge")).hasCSS("transition-duration", "0s");
        Object moving = page.evaluate("() => [...document.querySelectorAll('*')].filter(e => {"
                + " const style = getComputedStyle(e);"
                + " return style.animationName !== 'none' || parseFloat(style.transitionDuration) > 0; }).length");
        assertThat(moving).isEqualTo(0);
        nothingIsWrong();
    }

    private void audit(String what) {
        assertThat(new AxeBuilder(page)
                        .analyze().getViolations().stream()
                                .filter(rule -> List.of("serious", "critical").contains(rule.getImpact()))
                                .map(rule -> rule.getId() + " "
                                        + rule.getNodes().get(0).getHtml() + " "
                                        + rule.getNodes().get(0).getFailureSummary()))
                .as(what)
                .isEmpty();
        assertThat((Boolean) page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"))
                .as("nothing sticks out: " + what)
                .isTrue();
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
