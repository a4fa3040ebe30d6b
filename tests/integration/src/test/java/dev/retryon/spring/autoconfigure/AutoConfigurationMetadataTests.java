// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.core.io.support.PropertiesLoaderUtils;

/** Spring Boot reads the conditions of auto-configurations from one generated file before it reads their classes. */
class AutoConfigurationMetadataTests {

    private final Properties metadata = read();

    @Test
    void namesEveryAutoConfiguration() {
        Class<?> any = RetryAutoConfiguration.class;
        assertThat(ImportCandidates.load(AutoConfiguration.class, any.getClassLoader()))
                .filteredOn(name -> name.startsWith(any.getPackageName()))
                .isNotEmpty()
                .allSatisfy(name -> assertThat(metadata).containsKey(name));
    }

    /** Calls in the memory of a test need no db-scheduler. */
    @Test
    void namesTheClassesThatDurableCallsNeed() {
        assertThat(metadata.getProperty(
                        RetryDurableAutoConfiguration.class.getName() + "$CallsConfiguration.ConditionalOnClass"))
                .isEqualTo("tools.jackson.databind.json.JsonMapper");
    }

    private static Properties read() {
        try {
            return PropertiesLoaderUtils.loadAllProperties(
                    "META-INF/spring-autoconfigure-metadata.properties", RetryAutoConfiguration.class.getClassLoader());
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
