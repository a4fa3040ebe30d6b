// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.RetrySettingsBuilder;
import dev.retryon.spring.module.Setting;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The one list of settings, and that all who have settings have those. */
class SettingTests {

    private static final Set<String> LISTED =
            Setting.all().stream().map(Setting::attribute).collect(Collectors.toSet());

    @Test
    void theAnnotationHasAnAttributeForEachSetting() {
        Set<String> attributes = names(RetryOn.class.getDeclaredMethods());
        attributes.removeAll(Set.of("value", "name", "policy", "inherit", "maxAttemptsString", "multiplierString"));
        assertThat(attributes).isEqualTo(LISTED);
    }

    @Test
    void aCallCanOverrideEachSetting() {
        Set<String> setters = names(RetrySettingsBuilder.class.getDeclaredMethods());
        assertThat(setters)
                .contains("onError", "onErrorCode", "set")
                .containsAll(
                        LISTED.stream().filter(name -> !name.equals("errors")).toList());
    }

    @Test
    void namesThePropertyAsSpringBootWritesIt() {
        assertThat(Setting.NON_RETRYABLE_ERRORS.property()).isEqualTo("non-retryable-errors");
    }

    private static Set<String> names(Method[] methods) {
        return Arrays.stream(methods)
                .filter(method -> !method.isSynthetic())
                .map(Method::getName)
                .collect(Collectors.toSet());
    }
}
