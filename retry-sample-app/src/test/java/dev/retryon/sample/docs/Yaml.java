// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** Reads the YAML of the documentation as Spring Boot does. */
final class Yaml {

    private Yaml() {}

    static Map<String, String> read(Page.Block block) {
        Map<String, String> properties = new LinkedHashMap<>();
        try {
            for (PropertySource<?> source : new YamlPropertySourceLoader()
                    .load("block", new ByteArrayResource(block.text().getBytes(StandardCharsets.UTF_8)))) {
                for (String key : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                    properties.put(key, String.valueOf(source.getProperty(key)));
                }
            }
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        return properties;
    }

    static Duration duration(String text) {
        return DurationStyle.detectAndParse(text);
    }
}
