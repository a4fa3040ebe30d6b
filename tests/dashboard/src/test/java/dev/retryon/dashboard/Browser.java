// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Chromium, as it is installed on this machine; Playwright would download one. Tests are left out where there is none, and the
 * output says so, unless {@code RETRYON_BROWSER_REQUIRED} is {@code true}. All tests of a JVM share one browser and its
 * {@link Shops}, which tests get as parameters.
 */
final class Browser implements ExecutionCondition, ParameterResolver {

    private static final List<String> NAMES =
            List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        if (executable().isPresent() || "true".equals(System.getenv("RETRYON_BROWSER_REQUIRED"))) {
            return ConditionEvaluationResult.enabled("there is a browser");
        }
        String test = context.getTestClass().map(Class::getSimpleName).orElse("tests");
        if (context.getTestMethod().isEmpty()) {
            System.out.println(
                    "[browser] left out: " + test
                            + ", as there is no Chromium on the path. To run them, install it (Debian: apt-get"
                            + " install chromium) or set RETRYON_BROWSER to its file; then: mvn verify -pl tests/dashboard -am");
        }
        return ConditionEvaluationResult.disabled("no Chromium is installed");
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == com.microsoft.playwright.Browser.class || type == Shops.class;
    }

    /** Surefire runs each class on its own if it has several JVMs, so only the session lasts from the first class to the last. */
    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        ExtensionContext.Store session = context.getStore(
                ExtensionContext.StoreScope.LAUNCHER_SESSION, ExtensionContext.Namespace.create(Browser.class));
        return parameter.getParameter().getType() == Shops.class
                ? session.computeIfAbsent(Shops.class, type -> new Shops(), Shops.class)
                : session.computeIfAbsent(Launched.class, type -> Launched.now(), Launched.class)
                        .browser();
    }

    private record Launched(Playwright playwright, com.microsoft.playwright.Browser browser) implements AutoCloseable {

        static Launched now() {
            Playwright playwright = create();
            return new Launched(playwright, launch(playwright));
        }

        @Override
        public void close() {
            browser.close();
            playwright.close();
        }
    }

    static com.microsoft.playwright.Browser launch(Playwright playwright) {
        Path executable = executable().orElseThrow(() -> new IllegalStateException("no Chromium is installed"));
        return playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(executable)
                        .setArgs(List.of("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")));
    }

    static Playwright create() {
        return Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    }

    private static Optional<Path> executable() {
        String named = System.getenv("RETRYON_BROWSER");
        if (named != null && !named.isBlank()) {
            return Optional.of(Path.of(named));
        }
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
