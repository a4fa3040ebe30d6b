// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.json.JsonParserFactory;

/** The generated metadata of all modules, as IDEs read it. */
public final class ConfigurationMetadata {

    private final List<Map<String, Object>> modules;

    private ConfigurationMetadata(List<Map<String, Object>> modules) {
        this.modules = modules;
    }

    public static ConfigurationMetadata read() throws IOException {
        List<Map<String, Object>> modules = new ArrayList<>();
        for (URL file : Collections.list(
                RetryProperties.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream stream = file.openStream()) {
                modules.add(JsonParserFactory.getJsonParser()
                        .parseMap(new String(stream.readAllBytes(), StandardCharsets.UTF_8)));
            }
        }
        modules.removeIf(module -> items(module, "groups").stream()
                .noneMatch(group -> String.valueOf(group.get("type")).startsWith("dev.retryon.")));
        return new ConfigurationMetadata(modules);
    }

    public Map<String, Map<String, Object>> properties() {
        return byName("properties");
    }

    public Map<String, Map<String, Object>> hints() {
        return byName("hints");
    }

    private Map<String, Map<String, Object>> byName(String section) {
        Map<String, Map<String, Object>> items = new TreeMap<>();
        modules.forEach(module -> items(module, section).forEach(item -> items.put((String) item.get("name"), item)));
        return items;
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> items(Map<String, Object> module, String section) {
        return (List<Map<String, Object>>) module.getOrDefault(section, List.of());
    }
}
