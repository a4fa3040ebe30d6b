// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.acme.CatalogueClient;
import com.acme.PaymentService;
import com.acme.StockService;
import dev.retryon.spring.internal.policy.NamedRetries;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.ResolvableType;

/** The facts of docs/configuration.md, and the example of docs/troubleshooting.md. */
@ExtendWith(OutputCaptureExtension.class)
class ConfigurationDocsTests {

    private static final Map<String, String> MODULES = Map.of(
            "durable", "dev.retryon.durable.autoconfigure.RetryDurableProperties",
            "dead-letter", "dev.retryon.durable.autoconfigure.RetryDeadLetterProperties");

    private static final String ENDPOINT = "management.endpoint.<id>.";

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    private final String page = read(Path.of("..", "..", "docs", "configuration.md"));

    private final String troubleshooting = read(Path.of("..", "..", "docs", "troubleshooting.md"));

    private final ConfigurationMetadata metadata;

    ConfigurationDocsTests() throws Exception {
        this.metadata = ConfigurationMetadata.read();
    }

    @Test
    void everySettingIsDocumentedWithItsDefault() {
        List<List<String>> rows = rows("Settings");
        assertThat(rows.stream().map(row -> code(row.get(1))))
                .containsExactlyInAnyOrderElementsOf(
                        Setting.all().stream().map(Setting::property).toList());
        rows.forEach(row -> assertThat(row.get(0)).containsAnyOf("`" + key(row).localName() + "`", "`value`"));
        EffectiveSettings.defaults()
                .values()
                .forEach((key, value) -> assertThat(rows)
                        .filteredOn(row -> key(row) == key)
                        .singleElement()
                        .satisfies(row -> assertThat(code(row.get(3))).isEqualToIgnoringCase(value.print())));
    }

    private static Setting<?> key(List<String> row) {
        return Setting.all().stream()
                .filter(key -> key.property().equals(code(row.get(1))))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void everyOtherPropertyIsDocumentedWithItsDefault() {
        List<List<String>> rows = otherProperties();
        Set<String> documented = rows.stream()
                .map(row -> code(row.get(0)).replaceFirst("\\.<.*", ""))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> existing = metadata.properties().keySet().stream()
                .filter(name -> !name.startsWith("retryon.defaults."))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(documented).isEqualTo(existing);
        rows.forEach(row -> {
            Object value = metadata.properties()
                    .get(code(row.get(0)).replaceFirst("\\.<.*", ""))
                    .get("defaultValue");
            if (value != null) {
                // A list's default is an array in the metadata.
                String text = value.toString().replaceAll("^\\[|]$", "");
                assertThat(code(row.get(2))).as(row.get(0)).isEqualTo(text);
            }
        });
    }

    /** The rows of all properties. A row of several endpoints becomes one of each. */
    private List<List<String>> otherProperties() {
        Matcher endpoints = Pattern.compile("Replace `<id>` with (.*?)\\.\\s").matcher(page);
        assertThat(endpoints.find()).isTrue();
        List<String> ids = codes(endpoints.group(1));
        return rows("Other properties").stream()
                .flatMap(row -> code(row.get(0)).startsWith(ENDPOINT)
                        ? ids.stream()
                                .filter(id -> !row.get(1).contains("Not for `" + id + "`"))
                                .map(id -> row(row, id))
                        : Stream.of(row))
                .toList();
    }

    /** The row of one endpoint. A default such as "`none`; `read-only` for `a`" has an exception. */
    private static List<String> row(List<String> row, String id) {
        Matcher exception = Pattern.compile("(`[^`]+`) for `" + id + "`").matcher(row.get(2));
        return List.of(
                row.get(0).replace("<id>", id),
                row.get(1),
                exception.find() ? exception.group(1) : row.get(2),
                row.get(3));
    }

    @Test
    void whatIsBelowNamesExists() {
        assertThat(rows("Other properties").stream()
                        .map(row -> code(row.get(0)))
                        .filter(name -> name.contains("<") && !name.endsWith("*") && !name.startsWith(ENDPOINT))
                        .map(name -> name.replaceFirst("<.*>", "name")))
                .hasSize(11)
                .allSatisfy(ConfigurationDocsTests::requireExisting);
    }

    /** Follows the getters of the classes that are bound. The element after a map is a name. */
    private static void requireExisting(String name) throws ClassNotFoundException {
        Deque<String> elements = new ArrayDeque<>(List.of(name.split("\\.")));
        assertThat(elements.removeFirst()).isEqualTo("retryon");
        String module = MODULES.get(elements.getFirst());
        ResolvableType type = ResolvableType.forClass(module == null ? RetryProperties.class : Class.forName(module));
        if (module != null) {
            elements.removeFirst();
        }
        while (!elements.isEmpty()) {
            String element = elements.removeFirst();
            if (Map.class.isAssignableFrom(type.toClass())) {
                type = type.getGeneric(1);
                continue;
            }
            type = Arrays.stream(BeanUtils.getPropertyDescriptors(type.toClass()))
                    .filter(property -> DataObjectPropertyName.toDashedForm(property.getName())
                            .equals(element))
                    .map(property -> ResolvableType.forMethodReturnType(property.getReadMethod()))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(name + " does not exist"));
        }
    }

    @Test
    void everyPropertyThatIsMentionedExists() {
        Matcher mentioned = Pattern.compile("`(retryon\\.[a-z-]+(?:\\.[a-z-]+)*)(?:=[^`]*)?`")
                .matcher(page);
        Set<String> names = new TreeSet<>();
        while (mentioned.find()) {
            names.add(mentioned.group(1));
        }
        names.remove("retryon.foo");
        names.removeAll(Set.of(
                "retryon.defaults", "retryon.policies", "retryon.methods", "retryon.pointcuts", "retryon.budgets"));
        assertThat(names)
                .hasSizeGreaterThan(5)
                .allSatisfy(name -> assertThat(metadata.properties()).containsKey(name));
    }

    @Test
    void layersMergeAsTheExampleShows() {
        assertThat(source("RemoteClient")).contains(blocks(page, "java").get(0));
        assertThat(source("CatalogueClient")).contains(blocks(page, "java").get(1));
        try (ConfigurableApplicationContext context = BootRun.of(
                        "", blocks(page, "yaml").get(0), CatalogueClient.class)
                .start()) {
            EffectiveSettings settings = context.getBean(NamedRetries.class)
                    .methods("CatalogueClient.load")
                    .get(0)
                    .settings();
            List<List<String>> merged = new ArrayList<>();
            settings.values()
                    .forEach((key, value) ->
                            merged.add(List.of("`" + key.attribute() + "`", print(value), value.source())));
            assertThat(rows("Layers")).isEqualTo(merged);
        }
    }

    private static String print(EffectiveSettings.Value<?> value) {
        return value.value() instanceof Set<?> items
                ? items.stream().map(item -> ((Class<?>) item).getSimpleName()).collect(Collectors.joining(", "))
                : value.print();
    }

    @Test
    void faultsArePrintedAsShown(CapturedOutput output) {
        assertThat(BootRun.of(
                                "the documentation's example",
                                blocks(troubleshooting, "yaml").get(0),
                                PaymentService.class,
                                StockService.class)
                        .failure(output))
                .isEqualTo(blocks(troubleshooting, "text").get(0).strip());
    }

    /** The cells of a section's tables, without their heads. */
    private List<List<String>> rows(String section) {
        return section(section)
                .replaceAll("(?m)^\\| .*\\n\\|-.*\\n", "")
                .lines()
                .filter(line -> line.startsWith("| "))
                .map(line -> Arrays.stream(line.substring(1, line.length() - 1).split(" \\| | \\|$"))
                        .map(String::strip)
                        .toList())
                .toList();
    }

    private String section(String title) {
        int start = page.indexOf("\n## " + title + "\n");
        int end = page.indexOf("\n## ", start + 1);
        return page.substring(start, end);
    }

    private static List<String> blocks(String page, String language) {
        List<String> blocks = new ArrayList<>();
        Matcher block =
                Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(page);
        while (block.find()) {
            blocks.add(block.group(1));
        }
        return blocks;
    }

    /** The first piece of code in a cell. */
    private static String code(String cell) {
        int start = cell.indexOf('`');
        return start < 0 ? cell : cell.substring(start + 1, cell.indexOf('`', start + 1));
    }

    private static List<String> codes(String text) {
        return CODE.matcher(text).results().map(code -> code.group(1)).toList();
    }

    private static String source(String type) {
        return read(
                Path.of("..", "..", "retry-spring-boot-starter", "src", "test", "java", "com", "acme", type + ".java"));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException ex) {
            throw new java.io.UncheckedIOException(ex);
        }
    }
}
