// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;

/** A shop in a separate process, controlled through its standard input. */
final class ShopProcess implements AutoCloseable {

    private static final String STARTED = "started on port ";

    private static final String DONE = "done";

    private final Process process;

    private final BufferedReader output;

    private final PrintWriter input;

    private final int port;

    private ShopProcess(Process process) throws IOException {
        this.process = process;
        this.output = process.inputReader();
        this.input = new PrintWriter(process.outputWriter(), true);
        this.port = Integer.parseInt(await(STARTED));
    }

    static ShopProcess start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                ShopProcess.class.getName()));
        command.addAll(List.of(arguments));
        return new ShopProcess(
                new ProcessBuilder(command).redirectErrorStream(true).start());
    }

    private String await(String beginning) throws IOException {
        StringBuilder seen = new StringBuilder();
        String line;
        while ((line = output.readLine()) != null) {
            if (line.startsWith(beginning)) {
                return line.substring(beginning.length());
            }
            seen.append(line).append('\n');
        }
        throw new IllegalStateException("the shop has ended:\n" + seen);
    }

    int port() {
        return port;
    }

    /** The end of its name on the page. */
    String pid() {
        return ":" + process.pid();
    }

    /** Lets payments and invoices fail, of which the invoices are stored. */
    void fail(int payments, int invoices) throws IOException {
        input.println(payments + " " + invoices);
        await(DONE);
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        process.waitFor();
    }

    public static void main(String... arguments) throws IOException {
        try (ConfigurableApplicationContext context =
                        Shops.application(WebApplicationType.SERVLET).run(arguments);
                BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            context.getBean(DashboardApplication.Outside.class).down = true;
            System.out.println(STARTED + Shops.port(context));
            String line;
            while ((line = input.readLine()) != null) {
                String[] counts = line.split(" ");
                Shops.payments(context, Integer.parseInt(counts[0]));
                for (int i = 0; i < Integer.parseInt(counts[1]); i++) {
                    context.getBean(DashboardApplication.Invoices.class).dispatch("customer-" + i, "secret");
                }
                System.out.println(DONE);
            }
        }
    }
}
