// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryPolicy;
import dev.retryon.RetryPolicy.DelayRange;
import dev.retryon.RetryPolicyBuilder;
import dev.retryon.backoff.Jitter;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Computes the tables of waits in docs/choosing-a-policy.md and docs/migrating/resilience4j.md. */
class PolicyGuideTests {

    private static final Page GUIDE = Page.read("docs/choosing-a-policy.md");

    @Test
    void tablesHoldWhatThePoliciesAboveThemDo() {
        assertThat(checked(GUIDE)).containsExactly("interactive", "settlement", "polling");
        assertThat(checked(Page.read("docs/migrating/resilience4j.md"))).containsExactly("carrier");
    }

    private static List<String> checked(Page page) {
        List<String> checked = new ArrayList<>();
        for (Page.Block block : page.blocks("yaml")) {
            policies(Yaml.read(block)).forEach((name, settings) -> {
                List<List<String>> rows =
                        page.table(block.line() + block.lines().size(), "| retry |");
                if (!rows.isEmpty()) {
                    RetryPolicy policy = policy(settings);
                    assertThat(rows).as(name).isEqualTo(expected(rows, policy));
                    assertThat(number(rows.get(rows.size() - 1))).as(name).isEqualTo(policy.maxAttempts() - 1);
                    checked.add(name);
                }
            });
        }
        return checked;
    }

    @Test
    void tableOfBackoffsHoldsWhatTheyDo() {
        List<List<String>> rows = GUIDE.table(GUIDE.lines().indexOf("<!-- waits: delay 1s -->"), "| backoff |");
        assertThat(rows).hasSize(6);
        for (List<String> row : rows) {
            RetryPolicy policy = RetryPolicy.builder()
                    .maxAttempts(9)
                    .backoff(row.get(0).replace("`", ""))
                    .jitter(Jitter.none())
                    .build();
            assertThat(row.subList(1, 9))
                    .as(row.get(0))
                    .isEqualTo(policy.schedule(8).stream()
                            .map(wait -> Long.toString(wait.longest().toSeconds()))
                            .toList());
        }
    }

    private static Map<String, Map<String, String>> policies(Map<String, String> properties) {
        Map<String, Map<String, String>> policies = new LinkedHashMap<>();
        properties.forEach((key, value) -> {
            String[] words = key.split("\\.");
            if (key.startsWith("retryon.policies.")) {
                policies.computeIfAbsent(words[2], name -> new LinkedHashMap<>())
                        .put(words[3], value);
            }
        });
        return policies;
    }

    private static List<List<String>> expected(List<List<String>> rows, RetryPolicy policy) {
        List<DelayRange> schedule = policy.schedule(policy.maxAttempts());
        return rows.stream()
                .map(row -> {
                    int retry = number(row);
                    Duration shortest = Duration.ZERO;
                    Duration longest = Duration.ZERO;
                    for (DelayRange wait : schedule.subList(0, retry)) {
                        shortest = shortest.plus(wait.shortest());
                        longest = longest.plus(wait.longest());
                    }
                    DelayRange wait = schedule.get(retry - 1);
                    return List.of(row.get(0), range(wait.shortest(), wait.longest()), range(shortest, longest));
                })
                .toList();
    }

    private static int number(List<String> row) {
        return Integer.parseInt(row.get(0));
    }

    private static String range(Duration shortest, Duration longest) {
        String from = seconds(shortest);
        String to = seconds(longest);
        return from.equals(to) ? from : from + " – " + to;
    }

    private static String seconds(Duration duration) {
        return BigDecimal.valueOf(duration.toNanos(), 9)
                        .setScale(3, RoundingMode.HALF_UP)
                        .stripTrailingZeros()
                        .toPlainString()
                + "s";
    }

    private static RetryPolicy policy(Map<String, String> settings) {
        RetryPolicyBuilder policy = RetryPolicy.builder().retryOn(IOException.class);
        settings.forEach((key, value) -> {
            switch (key) {
                case "max-attempts" -> policy.maxAttempts(Integer.parseInt(value));
                case "backoff" -> policy.backoff(value);
                case "delay" -> policy.delay(Yaml.duration(value));
                case "multiplier" -> policy.multiplier(Double.parseDouble(value));
                case "max-delay" -> policy.maxDelay(Yaml.duration(value));
                case "jitter" -> policy.jitter(Jitter.parse(value));
                case "timeout" -> policy.timeout(Yaml.duration(value));
                default -> assertThat(key).isIn("exceptions", "non-retryable-errors", "retry-if");
            }
        });
        return policy.build();
    }
}
