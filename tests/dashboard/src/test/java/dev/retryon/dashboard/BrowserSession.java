/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.AriaRole;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/** One browser for the tests of a class; each test has a shop and a tab of its own. */
@ExtendWith(Browser.class)
abstract class BrowserSession {

    private static final double PATIENCE = 20_000;

    /** Where the reader sits: not where the server does, and no whole hours away from UTC. */
    static final ZoneId READERS_ZONE = ZoneId.of("Asia/Kolkata");

    private static Playwright playwright;

    private static com.microsoft.playwright.Browser browser;

    ConfigurableApplicationContext context;

    private BrowserContext tab;

    Page page;

    private final List<String> problems = new ArrayList<>();

    final List<String> hosts = new ArrayList<>();

    @BeforeAll
    static void launch() {
        playwright = Browser.create();
        browser = Browser.launch(playwright);
        com.microsoft.playwright.assertions.PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE);
    }

    @AfterAll
    static void close() {
        browser.close();
        playwright.close();
    }

    @AfterEach
    void stop() {
        if (tab != null) {
            tab.close();
        }
        if (context != null) {
            context.close();
        }
    }

    Locator button(String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    void start(WebApplicationType stack, String... arguments) {
        context = Started.run(stack, arguments);
        tab = browser.newContext(new com.microsoft.playwright.Browser.NewContextOptions()
                .setLocale("en-US")
                .setTimezoneId(READERS_ZONE.getId())
                .setHttpCredentials("operator", "password"));
        page = tab.newPage();
        page.onConsoleMessage(message -> {
            if (message.type().equals("error")) {
                problems.add(message.text());
            }
        });
        page.onPageError(problems::add);
        page.onRequest(request -> hosts.add(request.url().replaceAll("(https?://[^/]+).*", "$1")));
    }

    void open(String view) {
        page.navigate("about:blank");
        page.navigate(Started.address(context) + "#" + view);
        assertThat(page.locator("#connection")).hasText("live");
    }

    /** No error in the console, which has those of the content security policy too; and no other host was asked. */
    void nothingIsWrong() {
        assertThat(problems)
                .filteredOn(problem -> !problem.contains("the server responded with a status of 40"))
                .isEmpty();
        assertThat(hosts)
                .allMatch(
                        host -> host.equals("http://localhost:" + Started.port(context)) || host.equals("about:blank"));
        assertThat(page.title()).doesNotContain("owned");
    }
}
