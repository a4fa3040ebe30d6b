// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.yaml.YamlParser;
import org.openrewrite.yaml.tree.Yaml;

/** The settings of Resilience4j's retries in YAML. */
final class Resilience4jYaml {

    private static final String BLOCK = "resilience4j.retry";

    private Resilience4jYaml() {}

    /** Reads the settings of one document. */
    static Resilience4jPolicies read(Yaml.Document document) {
        Resilience4jPolicies policies = new Resilience4jPolicies();
        read("", document.getBlock(), policies);
        return policies;
    }

    private static void read(String path, Yaml.Block block, Resilience4jPolicies policies) {
        if (block instanceof Yaml.Mapping mapping && !mapping.getEntries().isEmpty()) {
            mapping.getEntries().forEach(entry -> read(path(path, entry), entry.getValue(), policies));
        } else if (block instanceof Yaml.Sequence sequence
                && !sequence.getEntries().isEmpty()) {
            sequence.getEntries().forEach(entry -> read(path, entry.getBlock(), policies));
        } else {
            policies.add(path, block instanceof Yaml.Scalar scalar ? scalar.getValue() : null);
        }
    }

    /** Replaces the policies of Resilience4j by those of RetryOn, or adds those after them. */
    static Yaml.Document change(Yaml.Document document, boolean alone, Resilience4jFound found) {
        Resilience4jPolicies theirs = read(document);
        Map<String, Map<String, String>> ours = theirs.policies(alone && !theirs.isForAProfile(), found);
        if (ours.isEmpty() || theirs.hasPoliciesOfRetryOn() || !(document.getBlock() instanceof Yaml.Mapping root)) {
            return document;
        }
        int position = 0;
        List<Yaml.Mapping.Entry> entries = new ArrayList<>();
        for (Yaml.Mapping.Entry entry : root.getEntries()) {
            String path = path("", entry);
            Yaml.Mapping.Entry kept = found.keepsSettings() || !leads(path) ? entry : without(entry, path);
            if (kept != null) {
                entries.add(kept);
            }
            if (leads(path)) {
                position = entries.size();
            }
        }
        boolean hasRoot =
                entries.stream().anyMatch(entry -> entry.getKey().getValue().equals("retryon"));
        Yaml.Mapping.Entry added = entry(ours, theirs.remarks(found), hasRoot);
        String prefix = position == 0 ? root.getEntries().get(0).getPrefix() : "\n";
        entries.add(position, added.withPrefix(prefix + added.getPrefix()));
        if (position == 0 && entries.size() > 1) {
            entries.set(1, startingALine(entries.get(1)));
        }
        return document.withBlock(root.withEntries(entries));
    }

    private static Yaml.Mapping.Entry startingALine(Yaml.Mapping.Entry entry) {
        return entry.getPrefix().contains("\n") ? entry : entry.withPrefix("\n" + entry.getPrefix());
    }

    /** The entry without the block; {@code null} if nothing is left of it. */
    private static Yaml.Mapping.@Nullable Entry without(Yaml.Mapping.Entry entry, String path) {
        if (path.equals(BLOCK) || path.startsWith(Resilience4jPolicies.PREFIX)) {
            return null;
        }
        if (!(entry.getValue() instanceof Yaml.Mapping mapping)) {
            return entry;
        }
        List<Yaml.Mapping.Entry> kept = ListUtils.map(mapping.getEntries(), child -> {
            String next = path(path, child);
            return leads(next) ? without(child, next) : child;
        });
        return kept.isEmpty() ? null : entry.withValue(mapping.withEntries(kept));
    }

    private static Yaml.Mapping.Entry entry(
            Map<String, Map<String, String>> policies, List<String> remarks, boolean hasRoot) {
        StringBuilder text = new StringBuilder();
        remarks.forEach(remark -> text.append("# RetryOn: ").append(remark).append('\n'));
        String indent = hasRoot ? "  " : "    ";
        text.append(hasRoot ? "retryon.policies:\n" : "retryon:\n  policies:\n");
        policies.forEach((name, settings) -> {
            text.append(indent).append(key(name)).append(":\n");
            settings.forEach((key, value) -> append(text, indent + "  ", key, value));
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

    private static void append(StringBuilder text, String indent, String key, String value) {
        List<String> values = Stream.of(value.split(",")).map(String::trim).toList();
        boolean list = values.size() > 1 && (key.equals("exceptions") || key.equals("excludes"));
        text.append(indent).append(key).append(':');
        if (list) {
            values.forEach(
                    one -> text.append('\n').append(indent).append("  - ").append(one));
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

    /** Whether a path is on the way to the block or below it. */
    private static boolean leads(String path) {
        return path.equals("resilience4j") || path.equals(BLOCK) || path.startsWith(Resilience4jPolicies.PREFIX);
    }

    private static String path(String path, Yaml.Mapping.Entry entry) {
        String key = entry.getKey().getValue();
        return path.isEmpty() ? key : path + "." + key;
    }
}
