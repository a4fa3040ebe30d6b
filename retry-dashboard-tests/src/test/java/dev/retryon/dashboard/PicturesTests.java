/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.dashboard;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import dev.retryon.deadletter.InMemoryDeadLetterStore;
import dev.retryon.spring.RetryRegistry;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/** Takes the pictures of the documentation: {@code -Dpictures=true}. */
@ExtendWith(Browser.class)
@EnabledIfSystemProperty(named = "pictures", matches = "true")
class PicturesTests {

    @Test
    void everyViewLightAndDarkNarrowAndWide() throws Exception {
        try (ConfigurableApplicationContext context = Started.run(
                        WebApplicationType.SERVLET,
                        "--management.endpoint.retryon.access=unrestricted",
                        "--management.endpoint.deadletters.access=unrestricted",
                        "--management.endpoint.deadletters.show-values=always",
                        "--management.endpoint.retryonevents.show-values=always");
                Playwright playwright = Browser.create();
                com.microsoft.playwright.Browser browser = Browser.launch(playwright)) {
            DashboardApplication.makeNames(context.getBean(RetryRegistry.class), 6);
            DashboardApplication.put(
                    context.getBean(InMemoryDeadLetterStore.class),
                    0,
                    40,
                    "Mails.send",
                    "java.net.ConnectException",
                    "Connection refused");
            DashboardApplication.put(
                    context.getBean(InMemoryDeadLetterStore.class),
                    40,
                    55,
                    "Mails.send",
                    "java.io.IOException",
                    DashboardApplication.HOSTILE);
            DashboardApplication.put(
                    context.getBean(InMemoryDeadLetterStore.class),
                    55,
                    64,
                    "Invoices.print",
                    "java.io.IOException",
                    "paper jam");
            Started.trouble(context);
            for (ColorScheme scheme : new ColorScheme[] {ColorScheme.LIGHT, ColorScheme.DARK}) {
                for (int width : new int[] {360, 1280, 3840}) {
                    try (BrowserContext tab =
                            browser.newContext(new com.microsoft.playwright.Browser.NewContextOptions()
                                    .setColorScheme(scheme)
                                    .setViewportSize(width, width == 3840 ? 2160 : 860))) {
                        Page page = tab.newPage();
                        page.onConsoleMessage(message -> System.out.println("[console] " + message.text()));
                        page.onPageError(error -> System.out.println("[error] " + error));
                        for (String view : new String[] {
                            "now", "name?name=Payments.charge", "dead", "retrying", "letter?id=letter-000054"
                        }) {
                            page.navigate(Started.address(context) + "#" + view);
                            page.waitForSelector("#connection[data-state=live]");
                            page.waitForTimeout(400);
                            page.screenshot(new Page.ScreenshotOptions()
                                    .setFullPage(width != 3840)
                                    .setPath(Path.of(
                                            System.getProperty("pictures.folder", "target/pictures"),
                                            view.replaceAll("\\?.*", "") + "-" + width + "-"
                                                    + scheme.name().toLowerCase(java.util.Locale.ROOT) + ".png")));
                        }
                    }
                }
            }
        }
    }
}
