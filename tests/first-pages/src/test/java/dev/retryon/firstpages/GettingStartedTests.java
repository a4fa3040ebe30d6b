// SPDX-License-Identifier: Apache-2.0
package dev.retryon.firstpages;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Follows docs/getting-started.md from an empty folder to the test of the retried method. */
@Tag("process")
class GettingStartedTests {

    static final GuidePage PAGE = GuidePage.read("docs/getting-started.md");

    /** The page shows no text that differs from run to run, besides ids, times and waits. */
    private static final String NOTHING = "(?!)";

    private static final Pattern RETRY = Pattern.compile("attempt (\\d) of 5 failed, retry in ([\\d.]+)s;");

    @TempDir
    private Path folder;

    @Test
    void leadsToARetryThatIsSeenAndTested() throws Exception {
        try (Newcomer newcomer = new Newcomer(folder, NOTHING)) {
            newcomer.follow(PAGE);

            assertThat(newcomer.commands())
                    .contains(
                            "mvn spring-boot:run",
                            "curl -X POST localhost:8080/payments/tea",
                            "curl localhost:8080/actuator/metrics/retryon.retries",
                            "mvn test");
            // 6 = 3 lines for each of 2 payments
            assertThat(newcomer.logLines()).isEqualTo(6);
            assertThat(waits(newcomer))
                    .satisfiesExactly(
                            first -> assertThat(first).isBetween(0.1, 0.3),
                            second -> assertThat(second).isBetween(0.2, 0.6));
        }
    }

    /** The waits of the second payment, with a delay of 200 ms and 50 % jitter. */
    private static List<Double> waits(Newcomer newcomer) throws Exception {
        return RETRY.matcher(String.join("\n", newcomer.log()))
                .results()
                .map((MatchResult retry) -> Double.valueOf(retry.group(2)))
                .toList();
    }
}
