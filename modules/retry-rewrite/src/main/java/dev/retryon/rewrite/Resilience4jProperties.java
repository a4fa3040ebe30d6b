// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.properties.PropertiesParser;
import org.openrewrite.properties.tree.Properties;

/** The settings of Resilience4j's retries in a properties file. */
final class Resilience4jProperties {

    private Resilience4jProperties() {}

    static Map<String, @Nullable String> read(Properties.File file) {
        Map<String, @Nullable String> properties = new LinkedHashMap<>();
        for (Properties.Content content : file.getContent()) {
            if (content instanceof Properties.Entry entry) {
                properties.put(entry.getKey(), entry.getValue().getText());
            }
        }
        return properties;
    }

    /** Replaces the settings of Resilience4j with policies of RetryOn, or adds these policies after them. */
    static Properties.File change(Properties.File file, Resilience4jModule module, boolean removed) {
        List<String> ours = new ArrayList<>(module.comments(file, 0, removed));
        module.policies(file, 0)
                .forEach((name, settings) -> settings.forEach(
                        (key, value) -> ours.add("retryon.policies." + name + "." + key + "=" + value)));
        if (module.policies(file, 0).isEmpty()) {
            return file;
        }
        Cursor cursor = new Cursor(new Cursor(null, Cursor.ROOT_VALUE), file);
        StringBuilder text = new StringBuilder();
        int position = 0;
        for (Properties.Content content : file.getContent()) {
            boolean their =
                    content instanceof Properties.Entry entry && entry.getKey().startsWith(Resilience4jModule.PREFIX);
            if (!their || !removed) {
                text.append(content.print(cursor));
            } else if (position == 0) {
                text.append(((Properties.Entry) content).getPrefix().replaceFirst("\\R$", ""));
            }
            if (their) {
                position = text.length();
            }
        }
        String changed = Stream.of(text.substring(0, position), String.join("\n", ours), text.substring(position))
                .map(part -> part.replaceFirst("^\\R", ""))
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("\n"));
        Properties.File parsed = (Properties.File)
                new PropertiesParser().parse(changed).findFirst().orElseThrow();
        return file.withContent(parsed.getContent());
    }
}
