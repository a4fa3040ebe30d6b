// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openrewrite.properties.PropertiesParser;
import org.openrewrite.properties.tree.Properties;

/** The settings of Resilience4j's retries in a properties file. */
final class Resilience4jProperties {

    private Resilience4jProperties() {}

    /** Reads the settings of a file. */
    static Map<String, @Nullable String> read(Properties.File file) {
        Map<String, @Nullable String> properties = new LinkedHashMap<>();
        for (Properties.Content content : file.getContent()) {
            if (content instanceof Properties.Entry entry) {
                properties.put(entry.getKey(), entry.getValue().getText());
            }
        }
        return properties;
    }

    /** Replaces the settings of Resilience4j by the policies of RetryOn, or adds those after them. */
    static Properties.File change(Properties.File file, Resilience4jFound.Module module, boolean removed) {
        Map<String, String> ours = new LinkedHashMap<>();
        module.settings()
                .policies(file.getSourcePath(), 0, module.moving())
                .forEach((name, settings) ->
                        settings.forEach((key, value) -> ours.put("retryon.policies." + name + "." + key, value)));
        if (ours.isEmpty()) {
            return file;
        }
        List<Properties.Content> contents = new ArrayList<>();
        int position = 0;
        String prefix = "";
        for (Properties.Content content : file.getContent()) {
            boolean their = content instanceof Properties.Entry entry && isTheirs(entry);
            if (!their || !removed) {
                contents.add(content);
            } else if (position == 0 && contents.isEmpty()) {
                prefix = content.getPrefix();
            }
            if (their) {
                position = contents.size();
            }
        }
        int columns = Comments.columns(file.printAll()) - "# ".length();
        StringBuilder text = new StringBuilder();
        module.settings().remarks(file.getSourcePath(), 0, module.moving(), removed).stream()
                .flatMap(remark -> Comments.lines(remark, columns).stream())
                .forEach(line -> text.append("# ").append(line).append('\n'));
        ours.forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
        Properties.File parsed = (Properties.File) new PropertiesParser()
                .parse(text.substring(0, text.length() - 1))
                .findFirst()
                .orElseThrow();
        List<Properties.Content> added = new ArrayList<>(parsed.getContent());
        added.set(0, (Properties.Content) added.get(0).withPrefix(position > 0 ? "\n" : prefix));
        contents.addAll(position, added);
        int next = position + added.size();
        if (position == 0
                && next < contents.size()
                && !contents.get(next).getPrefix().contains("\n")) {
            contents.set(next, (Properties.Content) contents.get(next).withPrefix("\n"));
        }
        return file.withContent(contents);
    }

    private static boolean isTheirs(Properties.Entry entry) {
        return entry.getKey().startsWith(Resilience4jSettings.PREFIX);
    }
}
