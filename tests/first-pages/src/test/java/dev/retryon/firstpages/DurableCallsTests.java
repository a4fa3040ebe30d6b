// SPDX-License-Identifier: Apache-2.0
package dev.retryon.firstpages;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Follows the first example of docs/durable.md from an empty folder to a call that survives a killed process. */
@Tag("process")
class DurableCallsTests {

    static final GuidePage EXAMPLE = GuidePage.readSection("docs/durable.md", "## Get started");

    /** The number of attempts depends on how soon the reader repairs the mail server. */
    private static final String ATTEMPT = "(?<=succeeded at attempt )\\d+";

    @TempDir
    private Path folder;

    @Test
    void leadsToACallThatSurvivesTheProcess() throws Exception {
        try (Newcomer newcomer = new Newcomer(folder, ATTEMPT)) {
            // The example starts with this file of the other page.
            newcomer.project()
                    .write(
                            "pom.xml",
                            GettingStartedTests.PAGE.blocks("xml").get(0).text());

            newcomer.follow(EXAMPLE);

            assertThat(newcomer.commands())
                    .contains("mkdir mails", "cat mails/tea.txt")
                    .filteredOn("mvn spring-boot:run"::equals)
                    .hasSize(2);
            assertThat(newcomer.logLines()).isEqualTo(3);
        }
    }
}
