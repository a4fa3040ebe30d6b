// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.args.AxeRunOptions;
import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/** A tab for each test, in a browser that all tests share, at a shop that the test chooses. */
@ExtendWith(Browser.class)
abstract class BrowserSession {

    private static final double PATIENCE = 20_000;

    /** Where the reader sits: not where the server does, and no whole hours away from UTC. */
    static final ZoneId READERS_ZONE = ZoneId.of("Asia/Kolkata");

    private static final List<String> UNRESTRICTED = List.of(
            "--retryon.policies.calm.delay=2s",
            "--management.endpoint.retryon.access=unrestricted",
            "--management.endpoint.retryoncalls.access=unrestricted");

    private com.microsoft.playwright.Browser browser;

    Shops shops;

    ConfigurableApplicationContext context;

    private ConfigurableApplicationContext own;

    private int port;

    private BrowserContext tab;

    Page page;

    private final List<String> problems = new ArrayList<>();

    final List<String> hosts = new ArrayList<>();

    @BeforeEach
    void begin(com.microsoft.playwright.Browser browser, Shops shops) {
        PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE);
        this.browser = browser;
        this.shops = shops;
    }

    @AfterEach
    void stop() {
        if (tab != null) {
            tab.close();
        }
        if (own != null) {
            own.close();
        }
    }

    /** Visits a shop in which everybody may see and change everything. Other tests use it too. */
    void visit() {
        context = shops.share(WebApplicationType.SERVLET, unrestricted("always"));
        openTab(false);
    }

    /** Logs in to a shop in which only the operator may see and change anything. Other tests use it too. */
    void logIn(WebApplicationType stack) {
        context = shops.share(stack, unrestricted("when-authorized", "--secured=true"));
        openTab(true);
    }

    private static String[] unrestricted(String showValues, String... more) {
        List<String> arguments = new ArrayList<>(UNRESTRICTED);
        for (String endpoint : List.of("retryonevents", "retryoncalls")) {
            arguments.add("--management.endpoint." + endpoint + ".show-values=" + showValues);
        }
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    /** Visits a shop with default settings, which shows no values and allows no changes. Other tests use it too. */
    void visitReadOnly() {
        context = shops.share(WebApplicationType.SERVLET);
        openTab(false);
    }

    /** Starts a shop for this test alone: other settings, or numbers to which no other test has added. */
    void start(WebApplicationType stack, String... arguments) {
        own = shops.start(stack, arguments);
        context = own;
        openTab(false);
    }

    /** Visits a page at a port where no shop of this process listens. */
    void visit(int port) {
        this.port = port;
        openTab(false);
    }

    private int port() {
        return port > 0 ? port : Shops.port(context);
    }

    private void openTab(boolean isLoggedIn) {
        if (tab != null) {
            tab.close();
        }
        com.microsoft.playwright.Browser.NewContextOptions options =
                new com.microsoft.playwright.Browser.NewContextOptions()
                        .setLocale("en-US")
                        .setTimezoneId(READERS_ZONE.getId());
        tab = browser.newContext(isLoggedIn ? options.setHttpCredentials("operator", "password") : options);
        page = tab.newPage();
        page.onConsoleMessage(message -> {
            if (message.type().equals("error")) {
                problems.add(message.text());
            }
        });
        page.onPageError(problems::add);
        page.onRequest(request -> hosts.add(request.url().replaceAll("(https?://[^/]+).*", "$1")));
    }

    Locator button(String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    void open(String view) {
        page.navigate("about:blank");
        page.navigate("http://localhost:" + port() + "/actuator/retryondashboard#" + view);
        assertThat(page.locator("#connection")).hasText("live");
    }

    /** Presses the button of the dialog that confirms it, and waits for the answer. */
    void confirm() {
        page.locator("dialog button[type=submit]").click();
        assertThat(page.locator("dialog")).hasCount(0);
    }

    /** Comes back to the tab, which refreshes the page. */
    void refresh() {
        page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))");
    }

    void setOffline(boolean isOffline) {
        tab.setOffline(isOffline);
    }

    /** Finds what keeps people from using the page as it is. */
    void audit(String what) {
        // Colors of a change from one theme to the other are blends.
        page.waitForCondition(
                () -> page.evaluate("() => document.getAnimations().length").equals(0));
        AxeRunOptions violations = new AxeRunOptions();
        violations.setResultTypes(List.of("violations"));
        // The other mode opens a second tab, to collect the results of frames. The page has none.
        assertThat(new AxeBuilder(page)
                        .setLegacyMode(true).options(violations).analyze().getViolations().stream()
                                .map(rule -> rule.getId() + " "
                                        + rule.getNodes().get(0).getHtml() + " "
                                        + rule.getNodes().get(0).getFailureSummary()))
                .as(what)
                .isEmpty();
        assertThat((Boolean) page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"))
                .as("nothing sticks out: " + what)
                .isTrue();
    }

    /** No error in the console, which has those of the content security policy too; and no other host was asked. */
    void nothingIsWrong() {
        assertThat(problems)
                .filteredOn(problem -> !problem.contains("the server responded with a status of 40"))
                .isEmpty();
        assertThat(hosts).allMatch(host -> host.equals("http://localhost:" + port()) || host.equals("about:blank"));
        assertThat(page.title()).doesNotContain("owned");
    }
}
