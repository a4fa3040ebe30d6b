// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject.Kind;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples in the guide to plain Java compile and run as they stand there. */
class PlainJavaGuideTests {

    private static final Pattern JAVA_BLOCK =
            Pattern.compile("^```java\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    /** What the guide leaves to its readers: imports, and a client that works. */
    private static final String AROUND_THE_BLOCKS = """
            import static org.assertj.core.api.Assertions.assertThat;

            import dev.retryon.*;
            import dev.retryon.backoff.*;
            import dev.retryon.test.*;
            import java.io.*;
            import java.net.ConnectException;
            import java.nio.file.*;
            import java.time.Duration;
            import java.util.*;
            import java.util.concurrent.atomic.*;

            public class Guide {

                interface Catalogue {
                    String fetch(String name) throws IOException;
                }

                public static String run() throws IOException {
                    Catalogue catalogue = name -> "the page " + name;
                    %s
                    return page;
                }
            }
            """;

    private final Path root = root();

    private final List<String> blocks = JAVA_BLOCK
            .matcher(read("docs/plain-java.md"))
            .results()
            .map(match -> match.group(1))
            .toList();

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("docs/plain-java.md"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    private String read(String path) {
        try {
            return Files.readString(root.resolve(path)).replace("\r\n", "\n");
        } catch (IOException ex) {
            throw new AssertionError(ex);
        }
    }

    @Test
    void theExampleTestHoldsEveryBlockOfTheGuide() {
        String example = withoutSpace(read("retry-core/src/test/java/dev/retryon/PlainJavaExampleTests.java"));

        assertThat(blocks).hasSize(8);
        assertThat(blocks).allSatisfy(block -> assertThat(example).contains(withoutSpace(block)));
    }

    private static String withoutSpace(String code) {
        return code.replaceAll("\\s+", "");
    }

    @Test
    void theBlocksOfTheGuideCompileAndRun(@TempDir Path classes) throws Exception {
        compile(AROUND_THE_BLOCKS.formatted(String.join("\n", blocks)), classes);

        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
            Object page = loader.loadClass("Guide").getMethod("run").invoke(null);

            assertThat(page).isEqualTo("the page index");
        }
    }

    private static void compile(String source, Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        List<String> options = List.of(
                "-classpath",
                System.getProperty("java.class.path"),
                "-d",
                classes.toString(),
                "-proc:none",
                "-Xlint:all");
        SimpleJavaFileObject guide = new SimpleJavaFileObject(URI.create("string:///Guide.java"), Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return source;
            }
        };

        boolean compiled = compiler.getTask(messages, null, null, options, null, List.of(guide))
                .call();

        assertThat(compiled).as("%s\n%s", messages, source).isTrue();
    }
}
