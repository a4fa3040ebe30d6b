// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.LoadState;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Takes the pictures of the documentation. Run it with {@code .ci/pictures}, which sets the properties. */
@ExtendWith(Browser.class)
@EnabledIfSystemProperty(named = "pictures.sample", matches = ".+")
@Tag("browser")
class PicturesTests {

    private static final Pattern PORT = Pattern.compile("started on port (\\d+)");

    /** Each kind of call of the sample that its game day does not use. */
    private static final List<String> OTHER_CALLS = List.of(
            "GET /shop/stock/lamp",
            "GET /shop/estimates/lamp",
            "POST /shop/reservations?item=lamp",
            "POST /shop/receipts",
            "POST /shop/newsletters",
            "GET /shop/deliveries/lamp",
            "GET /shop/transfers/4711",
            "GET /shop/rates/EUR",
            "POST /shop/refunds");

    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    Path folder;

    @Test
    void showTheSampleInAnOutage() throws Exception {
        Process sample = new ProcessBuilder(
                        "java",
                        "-jar",
                        System.getProperty("pictures.sample"),
                        "--server.port=0",
                        "--spring.pid.file=" + folder.resolve("shop.pid"),
                        "--retryon.durable.path=" + folder.resolve("shop.db"))
                .redirectErrorStream(true)
                .start();
        try {
            String url = "http://localhost:" + find(PORT, sample.inputReader());
            discard(sample.inputReader());
            gameDay(url);
        } finally {
            sample.destroy();
            sample.waitFor();
        }
    }

    private void gameDay(String url) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder("bash", System.getProperty("pictures.game-day"), url).redirectErrorStream(true);
        builder.environment().putAll(Map.of("GAME_DAY_CALM", "60", "GAME_DAY_OUTAGE", "60"));
        Process gameDay = builder.start();
        try (BufferedReader output = gameDay.inputReader();
                Playwright playwright = Browser.create();
                com.microsoft.playwright.Browser browser = Browser.launch(playwright)) {
            for (int i = 0; i < 12; i++) {
                for (String other : OTHER_CALLS) {
                    call(url, other);
                }
            }
            find(Pattern.compile("(broken) for 40 seconds"), output);
            take(browser, url, "overview", 1280);
            take(browser, url, "overview", 360);
            find(Pattern.compile("(over)\\."), output);
            take(browser, url, "calls", 1280);
        } finally {
            gameDay.destroy();
            gameDay.waitFor();
        }
    }

    /** Reads on, so that the sample never waits for a reader of its log. */
    private static void discard(BufferedReader log) {
        Thread reader = new Thread(() -> {
            try {
                log.transferTo(Writer.nullWriter());
            } catch (IOException ex) {
                // The sample has ended.
            }
        });
        reader.setDaemon(true);
        reader.start();
    }

    private void call(String url, String request) throws IOException, InterruptedException {
        String[] parts = request.split(" ");
        client.send(
                HttpRequest.newBuilder(URI.create(url + parts[1]))
                        .method(parts[0], HttpRequest.BodyPublishers.noBody())
                        .build(),
                BodyHandlers.discarding());
    }

    private static String find(Pattern pattern, BufferedReader output) throws IOException {
        StringBuilder seen = new StringBuilder();
        String line;
        while ((line = output.readLine()) != null) {
            Matcher matcher = pattern.matcher(line);
            if (matcher.find()) {
                return matcher.group(1);
            }
            seen.append(line).append('\n');
        }
        throw new IllegalStateException("no line has '" + pattern + "':\n" + seen);
    }

    private static void take(com.microsoft.playwright.Browser browser, String url, String view, int width) {
        try (BrowserContext tab = browser.newContext(new com.microsoft.playwright.Browser.NewContextOptions()
                .setColorScheme(ColorScheme.LIGHT)
                .setLocale("en-US")
                .setTimezoneId("UTC")
                .setViewportSize(width, width < 1280 ? 1080 : 800))) {
            Page page = tab.newPage();
            page.navigate(url + "/actuator/retryondashboard#" + view);
            page.waitForSelector("#connection[data-state=live]");
            page.waitForSelector("main tbody tr:visible, main .row:visible");
            page.waitForLoadState(LoadState.NETWORKIDLE);
            page.screenshot(new Page.ScreenshotOptions()
                    .setFullPage(width == 1280)
                    .setPath(Path.of(
                            System.getProperty("pictures.folder"),
                            "dashboard-" + view + (width < 1280 ? "-" + width : "") + ".png")));
        }
    }
}
