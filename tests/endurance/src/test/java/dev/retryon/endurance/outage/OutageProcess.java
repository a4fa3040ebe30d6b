// SPDX-License-Identifier: Apache-2.0
package dev.retryon.endurance.outage;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The process of an {@link OutageNode}. */
record OutageProcess(Process process, BufferedReader answers) implements AutoCloseable {

    /** Starts a node. */
    static OutageProcess start(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-Xmx192m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1", // starts sooner
                "-cp",
                System.getProperty("java.class.path"),
                OutageNode.class.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new OutageProcess(process, process.inputReader());
    }

    /** Waits until the node can store calls, and lets it. */
    void begin() throws IOException {
        await(OutageNode.READY);
        send(OutageNode.START);
    }

    /** Sends a line and waits until the node has obeyed. */
    void send(String line) throws IOException {
        process.outputWriter().write(line + "\n");
        process.outputWriter().flush();
        await(line);
    }

    private void await(String answer) throws IOException {
        String line = answers.readLine();
        if (!answer.equals(line)) {
            throw new IOException("a node should answer '" + answer + "', not '" + line + "'");
        }
    }

    /** Kills the process. */
    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
