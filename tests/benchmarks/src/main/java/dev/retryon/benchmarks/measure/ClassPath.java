/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.measure;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/** The class path of this JVM, jar by jar. */
public final class ClassPath {

    private ClassPath() {}

    /**
     * What is on the class path and fits.
     *
     * @param wanted asked for the name of each file
     * @return the files and folders
     * @throws IOException if a jar can't be read
     */
    public static List<String> of(Predicate<String> wanted) throws IOException {
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(entry).toAbsolutePath();
            String[] names = entry.endsWith(".jar") ? named(path) : new String[0];
            for (String name : names) {
                add(entries, path.resolveSibling(name), wanted);
            }
            // A jar that names others would bring them back, wanted or not.
            if (names.length == 0) {
                add(entries, path, wanted);
            }
        }
        return entries;
    }

    private static void add(List<String> entries, Path path, Predicate<String> wanted) {
        if (wanted.test(path.getFileName().toString())) {
            entries.add(path.toString());
        }
    }

    /** The jars that a jar names in its manifest. */
    private static String[] named(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            Manifest manifest = file.getManifest();
            String names =
                    manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
            return names == null ? new String[0] : names.split(" ", -1);
        }
    }
}
