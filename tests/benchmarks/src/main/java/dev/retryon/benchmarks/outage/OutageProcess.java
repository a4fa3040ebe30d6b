/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.outage;

import dev.retryon.benchmarks.measure.ClassPath;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The process of an {@link OutageNode}. */
record OutageProcess(Process process, BufferedReader answers) implements AutoCloseable {

    /** Starts a node and waits until it stores calls. */
    static OutageProcess start(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-Xmx192m",
                "-XX:+UseSerialGC",
                "-cp",
                String.join(File.pathSeparator, ClassPath.of(file -> true)),
                OutageNode.class.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        OutageProcess node = new OutageProcess(process, process.inputReader());
        node.await(OutageNode.READY);
        return node;
    }

    /** Sends a line and waits until the node has obeyed. */
    void tell(String line) throws IOException {
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
