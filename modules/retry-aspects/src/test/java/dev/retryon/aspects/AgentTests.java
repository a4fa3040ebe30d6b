// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.aspectj.weaver.loadtime.Agent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Starts an application in its own process, as the guide shows, with and without the agent. */
@Timeout(180)
@Tag("process")
class AgentTests {

    @Test
    void theAgentWeavesTheApplication() throws Exception {
        String output = run(0, agent());

        assertThat(output).contains("self: private at 3", "object: pay at 3");
        assertThat(output).doesNotContain("RETRYON-W");
    }

    @Test
    void withoutTheAgentTheApplicationDoesNotStart() throws Exception {
        String output = run(1);

        assertThat(output)
                .contains(
                        "APPLICATION FAILED TO START",
                        "AspectJ has woven none of the retried methods (dev.retryon.aspects.AgentTests$Program.hidden)",
                        "start the JVM with -javaagent:aspectjweaver.jar, compile with the AspectJ compiler");
    }

    @Test
    void anAgentThatDoesNotKnowTheAspectIsAFault() throws Exception {
        String output = run(1, agent(), "-Dorg.aspectj.weaver.loadtime.configuration=META-INF/aop-tests.xml");

        assertThat(output)
                .contains("AspectJ has woven none of the retried methods"
                        + " (dev.retryon.aspects.AgentTests$Program.hidden)");
    }

    @Test
    void theAspectCanBeNamedInAnotherFile() throws Exception {
        String output =
                run(0, agent(), "-Dorg.aspectj.weaver.loadtime.configuration=META-INF/aop-tests.xml;META-INF/aop.xml");

        assertThat(output).contains("self: private at 3").doesNotContain("RETRYON-W");
    }

    private static String agent() throws Exception {
        return "-javaagent:"
                + Path.of(Agent.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI());
    }

    private static String run(int exitCode, String... options) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1"); // starts sooner
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Program.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(exitCode);
        return output;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Program.class)
    static class Application {}

    static class Program {

        private final Partner partner = new Partner();

        public static void main(String[] arguments) throws IOException {
            try (ConfigurableApplicationContext context = SpringApplication.run(
                    Application.class, "--retryon.mode=aspectj", "--retryon.defaults.delay=1ms")) {
                System.out.println("self: " + context.getBean(Program.class).callsHidden());
                System.out.println("object: " + new Order(new Partner()).pay());
            }
        }

        String callsHidden() throws IOException {
            return hidden();
        }

        @RetryOn(IOException.class)
        private String hidden() throws IOException {
            return partner.fetch("private");
        }
    }
}
