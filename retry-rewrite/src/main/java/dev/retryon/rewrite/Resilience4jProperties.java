/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.rewrite;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openrewrite.Tree;
import org.openrewrite.marker.Markers;
import org.openrewrite.properties.tree.Properties;

/** The settings of Resilience4j's retries in a properties file. */
final class Resilience4jProperties {

    private Resilience4jProperties() {}

    static Resilience4jPolicies read(Properties.File file) {
        Resilience4jPolicies policies = new Resilience4jPolicies();
        for (Properties.Content content : file.getContent()) {
            if (content instanceof Properties.Entry entry && isTheirs(entry)) {
                policies.add(entry.getKey(), entry.getValue().getText());
            }
        }
        return policies;
    }

    /** Whether there are settings of other parts of Resilience4j. */
    static boolean hasOtherParts(Properties.File file) {
        return file.getContent().stream()
                .anyMatch(content -> content instanceof Properties.Entry entry
                        && entry.getKey().startsWith("resilience4j.")
                        && !isTheirs(entry));
    }

    /** Puts the policies of RetryOn where those of Resilience4j begin, or behind them. */
    static Properties.File change(Properties.File file, boolean alone, Resilience4jFound found) {
        Resilience4jPolicies theirs = read(file);
        boolean present = file.getContent().stream()
                .anyMatch(content -> content instanceof Properties.Entry entry
                        && entry.getKey().startsWith("retryon.policies."));
        Map<String, String> ours = new LinkedHashMap<>();
        theirs.policies(alone, found)
                .forEach((name, settings) ->
                        settings.forEach((key, value) -> ours.put("retryon.policies." + name + "." + key, value)));
        if (ours.isEmpty() || present) {
            return file;
        }
        List<Properties.Content> contents = new ArrayList<>();
        int position = 0;
        String prefix = "";
        for (Properties.Content content : file.getContent()) {
            boolean their = content instanceof Properties.Entry entry && isTheirs(entry);
            if (!their || found.keepsSettings()) {
                contents.add(content);
            } else if (position == 0 && contents.isEmpty()) {
                prefix = content.getPrefix();
            }
            if (their) {
                position = contents.size();
            }
        }
        List<Properties.Content> added = new ArrayList<>();
        for (String remark : theirs.remarks(found)) {
            added.add(new Properties.Comment(
                    Tree.randomId(),
                    position > 0 || !added.isEmpty() ? "\n" : prefix,
                    Markers.EMPTY,
                    Properties.Comment.Delimiter.HASH_TAG,
                    " RetryOn: " + remark));
        }
        for (Map.Entry<String, String> our : ours.entrySet()) {
            added.add(new Properties.Entry(
                    Tree.randomId(),
                    position > 0 || !added.isEmpty() ? "\n" : prefix,
                    Markers.EMPTY,
                    our.getKey(),
                    "",
                    Properties.Entry.Delimiter.EQUALS,
                    new Properties.Value(Tree.randomId(), "", Markers.EMPTY, our.getValue())));
        }
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
        return entry.getKey().startsWith(Resilience4jPolicies.PREFIX);
    }
}
