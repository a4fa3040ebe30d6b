// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import dev.retryon.dashboard.internal.CounterHistory;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.engine.CallStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;

/** Promises of the page that apply to each of its views. */
@Tag("browser")
class AllViewsTests extends BrowserSession {

    private static final List<String> VIEWS = List.of(
            "overview",
            "method?name=Payments.charge",
            "calls?state=dead",
            "calls?state=waiting&method=Invoices.dispatch",
            "calls?state=done",
            "calls?state=all",
            "call?id=letter-000001");

    @Test
    void isReadOnlyUnlessTheOperatorAllowsMore() throws Exception {
        visitReadOnly();
        put(5);
        Shops.trouble(context);
        for (String view : views()) {
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

    /** Links and bookmarks of the page before it had one list of calls. */
    @ParameterizedTest
    @CsvSource({
        "now, overview",
        "name?name=Payments.charge, method?name=Payments.charge",
        "dead, calls?state=dead",
        "dead?method=Mails.send&status=retrying, calls?method=Mails.send&state=waiting",
        "dead?status=resolved, calls?state=done",
        "dead?status=all, calls?state=all",
        "retrying?lane=mail, calls?lane=mail&state=waiting",
        "letter?id=letter-000000, call?id=letter-000000",
    })
    void formerAddressesLeadToTheViewsOfToday(String former, String current) {
        visitReadOnly();
        put(1);

        open(former);

        assertThat(page).hasURL(Shops.address(context) + "#" + current);
        nothingIsWrong();
    }

    /** On a telephone, nothing is cut off at the side, and names break between words. */
    @Test
    void aNarrowScreenShowsEachRowAsACard() throws Exception {
        visit();
        Shops.trouble(context);
        page.setViewportSize(400, 860);
        for (String view : List.of(
                "overview", "method?name=Payments.charge", "calls?state=dead", "calls?state=waiting", "call?id=none")) {
            open(view);
            assertThat(page.locator("#connection")).hasText("live");
            assertThat(page.evaluate("() => [...document.querySelectorAll('.wide')]"
                                    + ".filter(e => e.scrollWidth > e.clientWidth).map(e => e.ariaLabel)")
                            .toString())
                    .as(view)
                    .isEqualTo("[]");
        }
        open("method?name=Payments.charge");
        assertThat(page.getByText("Show all")).isVisible();
        assertThat((Integer) page.evaluate("() => document.documentElement.scrollHeight"))
                .isLessThan(4000);
        nothingIsWrong();
    }

    /** At three in the morning, on a telephone: the methods in trouble come first, and no text is cut or touches another one. */
    @ParameterizedTest
    @ValueSource(ints = {400, 768, 1280})
    void isReadableAtEachWidth(int width) throws Exception {
        visit();
        put(3);
        Shops.trouble(context);
        context.getBean(CounterHistory.class).sample();
        page.setViewportSize(width, 800);
        open("overview");
        assertThat(page.locator(".trend")).hasCount(4);
        assertThat(page.locator(".methods .badge").getByText("dead").first()).isVisible();
        assertThat(top(".methods") < top(".trends")).as("methods come first").isEqualTo(width <= 900);
        assertThat(page.evaluate("() => { const rows = new Map();"
                        + " document.querySelectorAll('.trend').forEach(trend => {"
                        + " const at = Math.round(trend.getBoundingClientRect().top);"
                        + " rows.set(at, (rows.get(at) ?? new Set()).add(trend.querySelector('svg').getBoundingClientRect().top)); });"
                        + " return [...rows.values()].every(tops => tops.size === 1); }"))
                .as("the charts of a row are at one height, with their titles")
                .isEqualTo(true);
        assertThat(page.evaluate("() => [...document.querySelectorAll('.methods td')].flatMap(cell => {"
                        + " const badges = [...cell.querySelectorAll('.badge')].map(badge => badge.getBoundingClientRect());"
                        + " return badges.slice(1).map((badge, i) => badge.top >= badges[i].bottom + 2"
                        + " || badge.left >= badges[i].right + 2); }).filter(isApart => !isApart).length"))
                .as("badges that touch")
                .isEqualTo(0);
        assertThat(page.evaluate("() => new Set([...document.querySelectorAll('.figure')]"
                        + ".map(figure => figure.getBoundingClientRect().top)).size"))
                .as("rows of figures")
                .isEqualTo(width == 400 ? 2 : 1);

        assertThat(
                        page.evaluate(
                                "() => [...document.querySelectorAll('.wide tbody tr')].filter(row => {"
                                        + " const name = row.querySelector('th').getBoundingClientRect();"
                                        + " return [...row.querySelectorAll('td:is(.brief, .number):not(:empty)')]"
                                        + ".some(cell => cell.offsetParent && cell.getBoundingClientRect().top < name.bottom); }).length === 0"))
                .as("values are below the names of cards")
                .isEqualTo(width <= 900);

        open("calls?state=dead");
        assertThat(page.locator(".filter input").first()).isVisible();
        assertThat(page.evaluate("() => [...document.querySelectorAll('.filter input')].filter(input => {"
                        + " input.value = input.placeholder; const isCut = input.scrollWidth > input.clientWidth;"
                        + " input.value = ''; return isCut; }).map(input => input.name).join()"))
                .as("placeholders that are cut")
                .isEqualTo("");
        open("call?id=letter-000000");
        Locator signature = page.locator(".facts code").getByText("#send");
        assertThat(signature).isVisible();
        assertThat(signature.evaluate("code => [...code.childNodes].filter(node => node.nodeType === 3).every(text => {"
                        + " const range = document.createRange(); range.selectNode(text);"
                        + " return range.getClientRects().length === 1; })"))
                .as("words of the signature are in one line")
                .isEqualTo(true);
        nothingIsWrong();
    }

    private double top(String selector) {
        return page.locator(selector).boundingBox().y;
    }

    @Test
    void hostileDataIsText() throws Exception {
        visit();
        String hostile = DashboardApplication.HOSTILE;
        CallStore store = context.getBean(CallStore.class);
        DashboardApplication.put(store, 0, 1, hostile, "java.io.IOException", "x".repeat(10_000_000));
        DashboardApplication.put(store, 1, 2, "__proto__", "constructor", hostile);
        Shops.trouble(context);
        for (String view : List.of(
                "overview",
                "method?name=Payments.charge",
                "method?name=%3Cimg%20src=x%20onerror=alert(1)%3E",
                "calls",
                "calls?state=%3Cb%3E",
                "calls?state=all&text=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
                "call?id=letter-000000",
                "call?id=letter-000001",
                "call?id=%3Cscript%3E")) {
            page.navigate(Shops.address(context) + "#" + view);
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
        visitInTrouble();
        for (String view : views()) {
            audit(view, ColorScheme.LIGHT, 1280);
        }
        audit("overview", ColorScheme.DARK, 360);
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 768, 1280})
    @Tag("endurance")
    void isAccessibleInBothThemes(int width) throws Exception {
        visitInTrouble();
        for (String view : views()) {
            for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
                audit(view, scheme, width);
            }
        }
    }

    private void visitInTrouble() throws Exception {
        visit();
        put(30);
        Shops.trouble(context);
    }

    private void audit(String view, ColorScheme scheme, int width) {
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
        page.setViewportSize(width, 800);
        open(view);
        assertThat(page.locator("main h1")).isVisible();
        audit(view + " " + scheme + " " + width);
    }

    @Test
    void followsTheThemeOfTheSystem() {
        visitReadOnly();
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.LIGHT));
        open("overview");
        Object light = textColor();

        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));

        assertThat(textColor()).isNotEqualTo(light);
    }

    private Object textColor() {
        return page.evaluate("() => getComputedStyle(document.body).color");
    }

    @Test
    void nothingMovesForWhoWantsNoMotion() {
        visitReadOnly();
        put(1);
        open("call?id=letter-000000");
        assertThat(page.locator(".heading .badge")).hasCSS("transition-duration", "0.2s");

        page.emulateMedia(new Page.EmulateMediaOptions().setReducedMotion(ReducedMotion.REDUCE));

        assertThat(page.locator(".heading .badge")).hasCSS("transition-duration", "0s");
        Object moving = page.evaluate("() => [...document.querySelectorAll('*')].filter(e => {"
                + " const style = getComputedStyle(e);"
                + " return style.animationName !== 'none' || parseFloat(style.transitionDuration) > 0; }).length");
        assertThat(moving).isEqualTo(0);
        nothingIsWrong();
    }

    @Test
    void saysThatTheConnectionIsLostAndThatItIsBack() {
        visitReadOnly();
        open("overview");

        setOffline(true);
        refresh();
        assertThat(page.locator("#connection")).containsText("connection lost since");
        setOffline(false);
        refresh();

        assertThat(page.locator("#connection")).hasText("live");
        assertThat(page.locator(".notice")).containsText("Connected again.");
    }

    @Test
    @Tag("endurance")
    void saysThatTheConnectionIsLostIfTheApplicationEnds() {
        start(WebApplicationType.SERVLET);
        open("overview");

        context.close();

        assertThat(page.locator("#connection")).containsText("connection lost since");
    }

    private void put(int count) {
        DashboardApplication.put(
                context.getBean(CallStore.class), 0, count, "Mails.send", "java.io.IOException", "down");
    }

    /** All views, of which the last one is that of a waiting call. */
    private List<String> views() throws Exception {
        context.getBean(DashboardApplication.Outside.class).down = true;
        context.getBean(DashboardApplication.Invoices.class).dispatch("ann@shop.example", "secret");
        List<String> views = new ArrayList<>(VIEWS);
        context.getBean(CallStore.class)
                .openIds(StoredCalls.Filter.of(State.WAITING, State.RUNNING), null, 1)
                .forEach(id -> views.add("call?id=" + id));
        assertThat(views).hasSizeGreaterThan(VIEWS.size());
        return views;
    }
}
