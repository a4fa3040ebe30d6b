// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.backoff.Backoff;
import dev.retryon.backoff.Jitter;
import dev.retryon.spring.internal.actuate.RetryOnEventsEndpoint;
import dev.retryon.spring.module.EffectiveSettings;
import dev.retryon.spring.module.RetryWarning;
import dev.retryon.spring.module.Setting;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

/** What an IDE knows about our properties. */
class ConfigurationMetadataTests {

    private final ConfigurationMetadata metadata;

    ConfigurationMetadataTests() throws Exception {
        this.metadata = ConfigurationMetadata.read();
    }

    @Test
    void everyPropertyIsDescribed() {
        assertThat(metadata.properties()).allSatisfy((name, property) -> {
            assertThat((String) property.get("description"))
                    .as(name)
                    .endsWith(".")
                    .hasSizeGreaterThan(10);
            assertThat((String) property.get("type")).as(name).isNotBlank();
        });
    }

    @Test
    void everySettingIsAProperty() {
        assertThat(metadata.properties().keySet())
                .containsAll(Setting.all().stream()
                        .map(key -> "retryon.defaults." + key.property())
                        .toList())
                .contains("retryon.policies", "retryon.methods", "retryon.pointcuts", "retryon.budgets");
    }

    @Test
    void theBuiltInDefaultsAreTheDefaults() {
        EffectiveSettings.defaults().values().forEach((key, value) -> {
            Object written = metadata.properties()
                    .get("retryon.defaults." + key.property())
                    .get("defaultValue");
            if (written instanceof Number number) {
                assertThat(number.doubleValue()).as(key.property()).isEqualTo(((Number) value.value()).doubleValue());
            } else {
                assertThat(String.valueOf(written)).as(key.property()).isEqualToIgnoringCase(value.print());
            }
        });
        assertThat(metadata.properties().get("retryon.order"))
                .containsEntry("defaultValue", RetryProperties.DEFAULT_ORDER);
        assertThat(metadata.properties().get("retryon.enabled")).containsEntry("defaultValue", true);
        assertThat(metadata.properties().get("retryon.events.capacity"))
                .containsEntry("defaultValue", RetryOnEventsEndpoint.DEFAULT_CAPACITY);
    }

    @Test
    void whatHasNoDefaultHasNone() {
        assertThat(List.of("exceptions", "excludes", "non-retryable-errors", "timeout", "attempt-timeout"))
                .allSatisfy(name -> assertThat(metadata.properties().get("retryon.defaults." + name))
                        .doesNotContainKey("defaultValue"));
    }

    @Test
    void backoffsAreHinted() {
        assertThat(values("retryon.defaults.backoff")).isEqualTo(Backoff.names());
        assertThat(providers("retryon.defaults.backoff")).contains("spring-bean-reference", "any");
    }

    @Test
    void jittersAreHinted() {
        assertThat(values("retryon.defaults.jitter"))
                .contains("none", "full", "half", "bounded")
                .allSatisfy(value -> assertThat(Jitter.parse(value).toString()).isEqualTo(value));
    }

    @Test
    void allCodesOfWarningsAreHinted() {
        assertThat(values("retryon.warnings.ignore"))
                .isEqualTo(Arrays.stream(RetryWarning.values())
                        .map(warning -> warning.code().replaceFirst("^RETRYON-", ""))
                        .collect(Collectors.toSet()));
    }

    @Test
    void exceptionsAreClassReferences() {
        assertThat(providers("retryon.defaults.exceptions")).containsExactly("class-reference");
        assertThat(providers("retryon.defaults.excludes")).containsExactly("class-reference");
        assertThat(providers("retryon.defaults.recover-on")).containsExactly("class-reference");
    }

    /** The format has no hints for what is inside a map's values: IDEs look into the type. */
    @Test
    void insideMapsTypesSayWhatHintsCannot() throws Exception {
        String settings = "java.util.Map<java.lang.String,dev.retryon.spring.autoconfigure.RetrySettingsProperties>";
        assertThat(metadata.properties().get("retryon.policies")).containsEntry("type", settings);
        assertThat(metadata.properties().get("retryon.methods")).containsEntry("type", settings);
        Map<String, Class<?>> types = Arrays.stream(RetrySettingsProperties.class.getRecordComponents())
                .collect(Collectors.toMap(
                        property -> DataObjectPropertyName.toDashedForm(property.getName()), RecordComponent::getType));
        assertThat(types.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        Setting.own().stream().map(Setting::property).toList());
        assertThat(types).containsEntry("delay", Duration.class).containsEntry("retryable", Boolean.class);
        assertThat(RetrySettingsProperties.class
                        .getMethod("errors")
                        .getGenericReturnType()
                        .getTypeName())
                .endsWith("<java.lang.String, dev.retryon.spring.autoconfigure.ErrorRuleProperties>");
    }

    @Test
    void everyHintIsAboutAProperty() {
        assertThat(metadata.hints().keySet())
                .allSatisfy(name -> assertThat(metadata.properties()).containsKey(name.replaceFirst("\\.keys$", "")));
    }

    private Set<String> values(String property) {
        return items(property, "values").stream()
                .map(item -> (String) item.get("value"))
                .collect(Collectors.toSet());
    }

    private List<String> providers(String property) {
        return items(property, "providers").stream()
                .map(item -> (String) item.get("name"))
                .toList();
    }

    @SuppressWarnings("unchecked")
    private List<Map<String, Object>> items(String property, String kind) {
        return (List<Map<String, Object>>) metadata.hints().get(property).get(kind);
    }
}
