/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.json.JsonParserFactory;

/** The generated metadata, as IDEs read it. */
final class ConfigurationMetadata {

    private final Map<String, Object> json;

    private ConfigurationMetadata(Map<String, Object> json) {
        this.json = json;
    }

    static ConfigurationMetadata read() throws IOException, URISyntaxException {
        Path classes = Path.of(RetryProperties.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        return new ConfigurationMetadata(JsonParserFactory.getJsonParser()
                .parseMap(Files.readString(classes.resolve("META-INF/spring-configuration-metadata.json"))));
    }

    Map<String, Map<String, Object>> properties() {
        return byName("properties");
    }

    Map<String, Map<String, Object>> hints() {
        return byName("hints");
    }

    @SuppressWarnings("unchecked")
    private Map<String, Map<String, Object>> byName(String section) {
        Map<String, Map<String, Object>> items = new TreeMap<>();
        ((List<Map<String, Object>>) json.get(section)).forEach(item -> items.put((String) item.get("name"), item));
        return items;
    }
}
