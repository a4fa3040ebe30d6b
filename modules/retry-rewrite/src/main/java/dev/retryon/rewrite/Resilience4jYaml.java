// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.yaml.YamlParser;
import org.openrewrite.yaml.tree.Yaml;

/** The settings of Resilience4j's retries in YAML. */
final class Resilience4jYaml {

    private static final String BLOCK = "resilience4j.retry";

    private static final Pattern RETRY =
            Pattern.compile("resilience4j\\.retry\\.(?:instances|backends|configs)\\.([^.]+).*");

    private Resilience4jYaml() {}

    /** Reads the settings of one document. Values of a list have the name of the list with an index. */
    static Map<String, @Nullable String> read(Yaml.Document document) {
        Map<String, @Nullable String> properties = new LinkedHashMap<>();
        read("", document.getBlock(), properties);
        return properties;
    }

    private static void read(String path, Yaml.Block block, Map<String, @Nullable String> properties) {
        if (block instanceof Yaml.Mapping mapping && !mapping.getEntries().isEmpty()) {
            mapping.getEntries().forEach(entry -> read(path(path, entry), entry.getValue(), properties));
        } else if (block instanceof Yaml.Sequence sequence
                && !sequence.getEntries().isEmpty()) {
            int index = 0;
            for (Yaml.Sequence.Entry entry : sequence.getEntries()) {
                read(path + "[" + index++ + "]", entry.getBlock(), properties);
            }
        } else {
            properties.put(path, block instanceof Yaml.Scalar scalar ? scalar.getValue() : null);
        }
    }

    /** Replaces the settings of Resilience4j with policies of RetryOn, or adds these policies after them. */
    static Yaml.Document change(
            Yaml.Document document, int index, Yaml.Documents file, Resilience4jModule module, boolean removed) {
        Map<String, Map<String, String>> ours = module.policies(file, index);
        if (ours.isEmpty() || !(document.getBlock() instanceof Yaml.Mapping root)) {
            return document;
        }
        int position = 0;
        List<Yaml.Mapping.Entry> entries = new ArrayList<>();
        List<Map.Entry<String, String>> lost = new ArrayList<>();
        for (Yaml.Mapping.Entry entry : root.getEntries()) {
            String key = path("", entry);
            Yaml.Mapping.Entry kept = !removed || !leads(key) ? entry : without(entry, key, lost);
            if (kept != null) {
                entries.add(kept);
            }
            if (leads(key)) {
                position = entries.size();
            }
        }
        Map<String, List<String>> comments = comments(lost);
        comments.computeIfAbsent("", unused -> new ArrayList<>()).addAll(module.comments(file, index, removed));
        boolean hasRoot =
                entries.stream().anyMatch(entry -> entry.getKey().getValue().equals("retryon"));
        Yaml.Mapping.Entry added = entry(ours, comments, indent(root), hasRoot);
        String prefix = position == 0 ? root.getEntries().get(0).getPrefix().replaceAll("#[^\n]*\n?", "") : "\n";
        entries.add(position, added.withPrefix(prefix + added.getPrefix()));
        if (position == 0 && entries.size() > 1) {
            entries.set(1, startingALine(entries.get(1)));
        }
        return document.withBlock(root.withEntries(entries));
    }

    /** Returns one step of indentation, as in the first nested block. */
    private static String indent(Yaml.Mapping root) {
        return root.getEntries().stream()
                .map(Yaml.Mapping.Entry::getValue)
                .filter(Yaml.Mapping.class::isInstance)
                .flatMap(block -> ((Yaml.Mapping) block).getEntries().stream().limit(1))
                .map(entry -> entry.getPrefix().substring(entry.getPrefix().lastIndexOf('\n') + 1))
                .filter(spaces -> !spaces.isEmpty() && spaces.isBlank())
                .findFirst()
                .orElse("  ");
    }

    /** Returns the comments on removed entries by instance or configuration, with an empty name for all other comments. */
    private static Map<String, List<String>> comments(List<Map.Entry<String, String>> removed) {
        Map<String, List<String>> comments = new LinkedHashMap<>();
        String previous = "";
        for (Map.Entry<String, String> entry : removed) {
            Matcher retry = RETRY.matcher(entry.getKey());
            String name = retry.matches() ? retry.group(1) : "";
            String[] lines = entry.getValue().split("\n", -1);
            for (int i = 0; i < lines.length; i++) {
                if (lines[i].contains("#")) {
                    // A comment at the end of a line belongs to the entry of that line.
                    comments.computeIfAbsent(i == 0 ? previous : name, unused -> new ArrayList<>())
                            .add(lines[i].trim());
                }
            }
            previous = name;
        }
        return comments;
    }

    private static Yaml.Mapping.Entry startingALine(Yaml.Mapping.Entry entry) {
        return entry.getPrefix().contains("\n") ? entry : entry.withPrefix("\n" + entry.getPrefix());
    }

    /** Returns the entry without the block, or {@code null} if nothing of the entry is left. */
    private static Yaml.Mapping.@Nullable Entry without(
            Yaml.Mapping.Entry entry, String path, List<Map.Entry<String, String>> removed) {
        int start = removed.size();
        boolean inside = path.equals(BLOCK) || path.startsWith(Resilience4jModule.PREFIX);
        if (!(entry.getValue() instanceof Yaml.Mapping mapping)) {
            if (inside) {
                removed.add(Map.entry(path, entry.getPrefix()));
            }
            return inside ? null : entry;
        }
        List<Yaml.Mapping.Entry> kept = ListUtils.map(mapping.getEntries(), child -> {
            String next = path(path, child);
            return inside || leads(next) ? without(child, next, removed) : child;
        });
        if (!inside && !kept.isEmpty()) {
            return entry.withValue(mapping.withEntries(kept));
        }
        removed.add(start, Map.entry(path, entry.getPrefix()));
        return null;
    }

    private static Yaml.Mapping.Entry entry(
            Map<String, Map<String, String>> policies,
            Map<String, List<String>> comments,
            String indent,
            boolean hasRoot) {
        StringBuilder text = new StringBuilder();
        append(text, "", comments.get(""));
        text.append(hasRoot ? "retryon.policies:\n" : "retryon:\n" + indent + "policies:\n");
        String start = hasRoot ? indent : indent + indent;
        policies.forEach((name, settings) -> {
            append(text, start, comments.get(name));
            text.append(start).append(key(name)).append(":\n");
            settings.forEach((key, value) -> append(text, start + indent, indent, key, value));
        });
        Yaml.Documents documents = (Yaml.Documents) new YamlParser()
                .parse(text.substring(0, text.length() - 1))
                .findFirst()
                .orElseThrow();
        Yaml.Document document = documents.getDocuments().get(0);
        Yaml.Mapping.Entry entry =
                ((Yaml.Mapping) document.getBlock()).getEntries().get(0);
        return entry.withPrefix(document.getPrefix() + entry.getPrefix());
    }

    private static void append(StringBuilder text, String start, @Nullable List<String> comments) {
        if (comments != null) {
            comments.forEach(comment -> text.append(start).append(comment).append('\n'));
        }
    }

    private static void append(StringBuilder text, String start, String indent, String key, String value) {
        List<String> values = Stream.of(value.split(",")).map(String::trim).toList();
        boolean list = values.size() > 1 && (key.equals("exceptions") || key.equals("excludes"));
        text.append(start).append(key).append(':');
        if (list) {
            values.forEach(one ->
                    text.append('\n').append(start).append(indent).append("- ").append(one));
        } else {
            text.append(' ').append(value);
        }
        text.append('\n');
    }

    private static String key(String name) {
        return name.chars().allMatch(next -> Character.isLetterOrDigit(next) || next == '-' || next == '_')
                ? name
                : "\"[" + name + "]\"";
    }

    private static boolean leads(String path) {
        return path.equals("resilience4j") || path.equals(BLOCK) || path.startsWith(Resilience4jModule.PREFIX);
    }

    private static String path(String path, Yaml.Mapping.Entry entry) {
        String key = entry.getKey().getValue();
        return path.isEmpty() ? key : path + "." + key;
    }
}
