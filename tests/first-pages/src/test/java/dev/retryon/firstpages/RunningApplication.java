// SPDX-License-Identifier: Apache-2.0
package dev.retryon.firstpages;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The application of a page, in a process on a free port. */
final class RunningApplication implements AutoCloseable {

    private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+) ");

    private final Process process;

    private final Path log;

    private RunningApplication(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    static RunningApplication start(Project project, int number) throws IOException {
        String log = "run-" + number + ".log";
        Process process = project.java(log, false, project.mainClass(), "--server.port=0");
        RunningApplication application =
                new RunningApplication(process, project.folder().resolve(log));
        try {
            await().atMost(Duration.ofMinutes(1))
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> {
                        if (!process.isAlive()) {
                            throw new AssertionError(
                                    "the application does not start:\n" + String.join("\n", application.log()));
                        }
                        return application.log().stream().anyMatch(line -> line.contains(" Started "));
                    });
        } catch (RuntimeException | Error ex) {
            process.destroyForcibly();
            throw ex;
        }
        return application;
    }

    List<String> log() throws IOException {
        return Files.readAllLines(log);
    }

    String port() throws IOException {
        Matcher port = PORT.matcher(Files.readString(log));
        if (!port.find()) {
            throw new AssertionError("no port in the log:\n" + String.join("\n", log()));
        }
        return port.group(1);
    }

    /** Kills it, as {@code kill -9} does. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
