// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application that is closed can be collected, whatever threads it has used: the libraries that it shares with others
 * (Spring, the driver, the scheduler) and the threads of the server continue. It runs in a process that clears soft references
 * at each collection, because Spring's own caches of classes are soft.
 */
@Timeout(180)
@Tag("process")
class RedeployTests {

    @Test
    void aClosedApplicationIsCollected(@TempDir Path folder) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:SoftRefLRUPolicyMSPerMB=0",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RedeployServer.class.getName(),
                        folder.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("collected: calls").contains("collected: durable calls");
    }
}
