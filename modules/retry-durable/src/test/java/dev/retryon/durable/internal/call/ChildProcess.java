// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process that runs a {@link KilledApplication}. */
final class ChildProcess implements AutoCloseable {

    private final Process process;

    private final Path output;

    private ChildProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** Starts one with the properties {@code name=value} of its application. */
    static ChildProcess start(Path folder, String name, List<String> properties) throws IOException {
        return start(KilledApplication.class, folder, name, properties);
    }

    static ChildProcess start(Class<?> application, Path folder, String name, List<String> properties)
            throws IOException {
        Path output = folder.resolve(name + ".log");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                application.getName(),
                "--trial.process=" + name));
        properties.forEach(property -> command.add("--" + property));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return new ChildProcess(process, output);
    }

    String output() throws IOException {
        return Files.readString(output);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Waits until it has ended by itself, with this code. */
    void awaitEnd(int code) throws InterruptedException, IOException {
        if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != code) {
            throw new IllegalStateException("it has not ended with " + code + ": " + output());
        }
    }

    /** Sends a signal, such as STOP. */
    void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start();
        if (kill.waitFor() != 0) {
            throw new IllegalStateException("no process " + process.pid());
        }
    }

    /** Lets it continue for a while, and kills it as {@code kill -9} does. */
    void killAfter(long millis) throws InterruptedException, IOException {
        if (process.waitFor(millis, TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("it has ended by itself: " + output());
        }
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
