// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.ExtensionErrorListener;
import dev.retryon.StopReason;
import dev.retryon.spring.internal.observe.RetryOutcome;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The meters, tags and values of docs/observability.md are those of the code. */
class ObservabilityGuideTests {

    private static final Page PAGE = Page.read("docs/observability.md");

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    @Test
    void metersHaveTheDocumentedTypesAndTags() throws ClassNotFoundException {
        List<String> meters = Stream.concat(
                        meters("dev.retryon.spring.internal.observe.RetryMeterDocumentation"),
                        meters("dev.retryon.durable.internal.observe.StoreMeterDocumentation"))
                .toList();

        assertThat(rows("| Meter |").stream().map(row -> code(row.get(0)) + " " + row.get(1) + " " + codes(row.get(2))))
                .containsExactlyInAnyOrderElementsOf(meters);
    }

    @Test
    void reasonsAreComplete() {
        assertThat(values("| Reason |")).containsExactlyInAnyOrderElementsOf(names(StopReason.values()));
    }

    @Test
    void kindsOfErrorsAreComplete() {
        assertThat(values("| Kind |")).containsExactlyInAnyOrderElementsOf(names(ExtensionErrorListener.Kind.values()));
    }

    @Test
    void outcomesAreComplete() {
        assertThat(PAGE.lines().stream()
                        .dropWhile(line -> !line.startsWith("`outcome` is one of"))
                        .takeWhile(line -> !line.startsWith("`reason` is"))
                        .skip(1)
                        .flatMap(line -> codes(line).stream()))
                .containsExactlyInAnyOrderElementsOf(names(RetryOutcome.values()));
    }

    private static Stream<String> meters(String type) throws ClassNotFoundException {
        return Arrays.stream(Class.forName(type).getEnumConstants())
                .map(MeterDocumentation.class::cast)
                .map(meter -> meter.getName() + " " + meter.getType().name().toLowerCase(Locale.ROOT) + " "
                        + Arrays.stream(meter.getKeyNames())
                                .map(key -> key.asString())
                                .toList());
    }

    private static List<String> values(String header) {
        return rows(header).stream().flatMap(row -> codes(row.get(0)).stream()).toList();
    }

    private static List<List<String>> rows(String header) {
        int start = PAGE.lines().indexOf("## Meters");
        while (!PAGE.lines().get(start).startsWith(header)) {
            start++;
        }
        return PAGE.table(start, header);
    }

    private static String code(String cell) {
        return codes(cell).get(0);
    }

    private static List<String> codes(String text) {
        return CODE.matcher(text)
                .results()
                .map((MatchResult code) -> code.group(1))
                .collect(Collectors.toList());
    }

    private static List<String> names(Enum<?>... values) {
        return Arrays.stream(values)
                .map(value -> value.name().toLowerCase(Locale.ROOT))
                .toList();
    }
}
