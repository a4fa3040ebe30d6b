// SPDX-License-Identifier: Apache-2.0
package dev.retryon.firstpages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.core.ConditionTimeoutException;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;

/** Follows a page literally: creates its files, runs its commands, and compares outputs and log with the page. */
final class Newcomer implements AutoCloseable {

    private static final Pattern CURL =
            Pattern.compile("curl (?:-X (?<method>\\w+) )?localhost:8080(?<path>/[\\w/.-]*)");

    /** Longer than the lease of an attempt that runs at the moment at which the application is killed. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final HttpClient client = HttpClient.newHttpClient();

    private final Project project;

    private final Output output;

    private final List<String> commands = new ArrayList<>();

    private @Nullable RunningApplication application;

    private int starts;

    private int logLines;

    /** @param varying a pattern of text in outputs that differs from run to run, besides ids, times and waits */
    Newcomer(Path folder, String varying) {
        this.project = new Project(folder);
        this.output = new Output(varying);
    }

    Project project() {
        return project;
    }

    /** The commands that were run. */
    List<String> commands() {
        return commands;
    }

    /** The number of lines of the page that were found in the log. */
    int logLines() {
        return logLines;
    }

    /** The log of the application that was started last. */
    List<String> log() throws IOException {
        return running().log();
    }

    void follow(GuidePage page) throws Exception {
        for (GuidePage.Block block : page.blocks()) {
            try {
                follow(block);
            } catch (AssertionError | ConditionTimeoutException ex) {
                throw new AssertionError(page.name() + ", line " + block.line() + ": " + ex.getMessage(), ex);
            }
        }
    }

    private void follow(GuidePage.Block block) throws Exception {
        switch (block.language()) {
            case "xml", "java", "yaml", "sql" -> {
                assertThat(block.file())
                        .as("a file name in the paragraph above the block")
                        .isNotNull();
                project.write(block.file(), block.text());
            }
            case "console" -> {
                for (String step : ("\n" + block.text()).split("\n\\$ ")) {
                    if (!step.isBlank()) {
                        String[] parts = step.split("\n", 2);
                        commands.add(parts[0]);
                        run(parts[0], parts.length == 1 ? "" : parts[1]);
                    }
                }
            }
            case "" -> {
                for (String line : block.text().lines().toList()) {
                    eventually(() -> assertThat(running().log())
                            .as("a line of the log that ends with %s", line)
                            .anyMatch(actual -> output.isEndOf(line, actual)));
                    logLines++;
                }
            }
            case "kotlin" -> {
                // Gradle is not run. The tests compare its dependencies with those of Maven.
            }
            default -> throw new AssertionError("a block of an unknown language, " + block.language());
        }
    }

    private void run(String command, String expected) throws Exception {
        Matcher curl = CURL.matcher(command);
        if (curl.matches() && curl.group("method") == null) {
            // A worker can need a moment until the endpoint shows its result.
            eventually(() -> assertOutput(expected, send(curl)));
        } else if (curl.matches()) {
            assertOutput(expected, send(curl));
        } else if (command.equals("mvn spring-boot:run")) {
            close();
            project.compile();
            application = RunningApplication.start(project, ++starts);
            assertOutput(expected, "");
        } else if (command.equals("mvn test")) {
            assertOutput(expected, test());
        } else if (command.startsWith("mkdir ")) {
            Files.createDirectory(project.folder().resolve(command.substring("mkdir ".length())));
            assertOutput(expected, "");
        } else if (command.startsWith("cat ")) {
            Path file = project.folder().resolve(command.substring("cat ".length()));
            eventually(() -> {
                assertThat(file).exists();
                assertOutput(expected, Files.readString(file));
            });
        } else {
            throw new AssertionError("an unknown command, " + command);
        }
    }

    private String send(Matcher curl) throws IOException, InterruptedException {
        URI address = URI.create("http://localhost:" + running().port() + curl.group("path"));
        String method = curl.group("method") == null ? "GET" : curl.group("method");
        HttpRequest request = HttpRequest.newBuilder(address)
                .method(method, BodyPublishers.noBody())
                .build();
        return client.send(request, BodyHandlers.ofString()).body();
    }

    private String test() throws Exception {
        List<String> arguments = new ArrayList<>(List.of(JUnitRun.class.getName()));
        arguments.addAll(project.compileTests());
        Process process = project.java("test.log", true, arguments.toArray(String[]::new));
        process.onExit().join();
        List<String> log = Files.readAllLines(project.folder().resolve("test.log"));
        assertThat(log).as("output of the tests").isNotEmpty();
        assertThat(process.exitValue()).as(String.join("\n", log)).isZero();
        return log.get(log.size() - 1);
    }

    private void assertOutput(String expected, String actual) {
        assertThat(output.matches(expected, actual))
                .as("expected:%n%s%nbut was:%n%s", expected, actual)
                .isTrue();
    }

    private static void eventually(ThrowingRunnable assertion) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(50)).untilAsserted(assertion);
    }

    private RunningApplication running() {
        assertThat(application).as("a running application").isNotNull();
        return application;
    }

    @Override
    public void close() {
        if (application != null) {
            application.close();
        }
    }
}
