// SPDX-License-Identifier: Apache-2.0
package dev.retryon.firstpages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The folder in which a newcomer creates the files of a page. It is built as Maven builds it. */
final class Project {

    private final Path folder;

    private final Dependencies dependencies = Dependencies.ofThisModule();

    Project(Path folder) {
        this.folder = folder;
    }

    Path folder() {
        return folder;
    }

    /** Creates a file, or replaces it. Text that is only an element of a {@code pom.xml} replaces this element. */
    void write(String file, String text) throws IOException {
        Path path = folder.resolve(file);
        String all = text;
        if (file.equals("pom.xml") && text.startsWith("<dependencies>")) {
            String pom = Files.readString(path);
            String end = "</dependencies>";
            all = pom.substring(0, pom.indexOf("<dependencies>"))
                    + text
                    + pom.substring(pom.indexOf(end) + end.length());
        }
        Files.createDirectories(path.getParent());
        Files.writeString(path, all + "\n");
    }

    String pom() throws IOException {
        return Files.readString(folder.resolve("pom.xml"));
    }

    /** Compiles the application. */
    void compile() throws IOException {
        compile(
                "main",
                List.of(),
                classPath(listed ->
                        !listed.scope().equals("test") && !listed.scope().equals("runtime")));
        Path resources = folder.resolve("src/main/resources");
        for (Path file : files(resources)) {
            Path copy = folder.resolve("target/classes").resolve(resources.relativize(file));
            Files.createDirectories(copy.getParent());
            Files.deleteIfExists(copy);
            Files.copy(file, copy);
        }
    }

    /** Compiles the tests too, and returns the names of the test classes. */
    List<String> compileTests() throws IOException {
        compile();
        compile("test", List.of(folder.resolve("target/classes")), classPath(listed -> true));
        Path sources = folder.resolve("src/test/java");
        return files(sources).stream()
                .map(file -> sources.relativize(file).toString())
                .filter(name -> name.endsWith("Tests.java"))
                .map(name -> name.replaceAll("\\.java$", "").replaceAll("[/\\\\]", "."))
                .toList();
    }

    /** A Java process in the folder. Its output is in this file of the folder. */
    Process java(String output, boolean isTest, String... mainAndArguments) throws IOException {
        String classPath = folder.resolve("target/classes") + File.pathSeparator;
        if (isTest) {
            classPath = folder.resolve("target/test-classes")
                    + File.pathSeparator
                    + classPath
                    + classPath(listed -> true)
                    + File.pathSeparator
                    + dependencies.classPath(List.of("org.junit.platform:junit-platform-launcher"))
                    + File.pathSeparator
                    + Path.of("target/test-classes").toAbsolutePath();
        } else {
            classPath += classPath(listed -> !listed.scope().equals("test"));
        }
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-Duser.language=en",
                "-cp",
                classPath));
        command.addAll(List.of(mainAndArguments));
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(output).toFile())
                .start();
    }

    /** The class with the main method. */
    String mainClass() throws IOException {
        Path sources = folder.resolve("src/main/java");
        List<Path> found = files(sources).stream()
                .filter(file -> file.toString().endsWith("Application.java"))
                .toList();
        assertThat(found).hasSize(1);
        return sources.relativize(found.get(0))
                .toString()
                .replaceAll("\\.java$", "")
                .replaceAll("[/\\\\]", ".");
    }

    private String classPath(Predicate<Dependencies.Listed> filter) throws IOException {
        return dependencies.classPath(Dependencies.listedIn(pom()).stream()
                .filter(filter)
                .map(Dependencies.Listed::name)
                .toList());
    }

    private void compile(String kind, List<Path> classes, String classPath) throws IOException {
        String output = kind.equals("main") ? "target/classes" : "target/test-classes";
        Files.createDirectories(folder.resolve(output));
        String path = classes.isEmpty() ? classPath : classes.get(0) + File.pathSeparator + classPath;
        List<String> options = List.of(
                "-parameters",
                "-proc:none",
                "-Xlint:all",
                "-Werror",
                "-classpath",
                path,
                "-d",
                folder.resolve(output).toString());
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter problems = new StringWriter();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            var sources = manager.getJavaFileObjectsFromPaths(files(folder.resolve("src/" + kind + "/java")));
            boolean isCompiled = compiler.getTask(problems, manager, null, options, null, sources)
                    .call();
            assertThat(isCompiled).as(problems.toString()).isTrue();
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }
}
