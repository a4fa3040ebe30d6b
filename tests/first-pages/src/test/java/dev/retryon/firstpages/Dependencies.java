// SPDX-License-Identifier: Apache-2.0
package dev.retryon.firstpages;

import java.io.File;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/**
 * The dependencies of this module, as Maven resolved them. The pages need different class paths: an application without a
 * database does not start if a JDBC driver is present. So each page gets the part of the tree that its own dependencies
 * bring.
 */
final class Dependencies {

    private static final Pattern NODE =
            Pattern.compile("(?<indent>[|+\\\\ -]*)\\(?(?<name>[\\w.-]+:[\\w.-]+):jar:(?<version>[\\w.-]+).*");

    private static final int INDENT = 3;

    private final Map<String, Set<String>> children = new LinkedHashMap<>();

    private final Map<String, String> versions = new LinkedHashMap<>();

    private final String module;

    /** A dependency in a {@code pom.xml}. */
    record Listed(String name, String version, String scope) {}

    private Dependencies(List<String> tree) {
        List<String> path = new ArrayList<>();
        for (String line : tree) {
            Matcher node = NODE.matcher(line);
            if (!node.matches()) {
                throw new IllegalArgumentException("not a line of a dependency tree: " + line);
            }
            String name = node.group("name");
            int depth = node.group("indent").length() / INDENT;
            path.subList(depth, path.size()).clear();
            if (depth > 0) {
                children.get(path.get(depth - 1)).add(name);
            }
            path.add(name);
            children.putIfAbsent(name, new LinkedHashSet<>());
            if (!line.contains(" omitted for ")) {
                versions.put(name, node.group("version"));
            }
        }
        module = path.get(0);
    }

    static Dependencies ofThisModule() {
        try (var tree = Dependencies.class.getResourceAsStream("/dependencies.txt")) {
            return new Dependencies(new String(tree.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList());
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** The names of the dependencies in the {@code pom.xml} of this module. */
    Set<String> direct() {
        return children.get(module);
    }

    String version(String name) {
        return versions.get(name);
    }

    /** The class path of an application with these dependencies. */
    String classPath(Collection<String> names) {
        Set<String> all = new LinkedHashSet<>();
        Deque<String> open = new ArrayDeque<>(names);
        while (!open.isEmpty()) {
            String name = open.remove();
            if (!versions.containsKey(name)) {
                throw new AssertionError(name + " is not a dependency of this module");
            }
            if (all.add(name)) {
                open.addAll(children.get(name));
            }
        }
        return all.stream().map(this::path).collect(Collectors.joining(File.pathSeparator));
    }

    private String path(String name) {
        String artifact = name.substring(name.indexOf(':') + 1);
        String jar = artifact + "-" + versions.get(name) + ".jar";
        Path classes = Path.of(artifact, "target", "classes");
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> Path.of(entry).endsWith(jar) || Path.of(entry).endsWith(classes))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is not on the class path of this test"));
    }

    /** The dependencies in a {@code pom.xml}. */
    static List<Listed> listedIn(String pom) {
        NodeList elements = parse(pom).getElementsByTagName("dependency");
        List<Listed> listed = new ArrayList<>();
        for (int i = 0; i < elements.getLength(); i++) {
            Element dependency = (Element) elements.item(i);
            listed.add(new Listed(
                    text(dependency, "groupId") + ":" + text(dependency, "artifactId"),
                    text(dependency, "version"),
                    text(dependency, "scope")));
        }
        return listed;
    }

    /** The version of the parent in a {@code pom.xml}. */
    static String parentVersionIn(String pom) {
        return text((Element) parse(pom).getElementsByTagName("parent").item(0), "version");
    }

    private static Element parse(String pom) {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(pom)))
                    .getDocumentElement();
        } catch (Exception ex) {
            throw new AssertionError(pom, ex);
        }
    }

    private static String text(Element parent, String name) {
        NodeList elements = parent.getElementsByTagName(name);
        return elements.getLength() == 0 ? "" : elements.item(0).getTextContent();
    }
}
