// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.docs;

import java.io.StringWriter;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Compiles the Java of a page. A block with a package is a file; one with a type at its margin is wrapped in nothing but
 * imports; one that starts with an annotation or a modifier becomes members of a {@link Vocabulary}, any other statements.
 */
final class Snippets {

    private static final Pattern TYPE =
            Pattern.compile("(?m)^(public |abstract |final )*(class|interface|record|enum|@interface) ");

    private static final Pattern MEMBER = Pattern.compile("(?m)^(@|public |private |static )");

    private static final List<String> IMPORTS = List.of(
            "dev.retryon.*",
            "dev.retryon.backoff.*",
            "dev.retryon.durable.*",
            "dev.retryon.sample.docs.Vocabulary",
            "dev.retryon.spring.*",
            "java.io.*",
            "java.net.*",
            "java.time.*",
            "java.util.concurrent.CompletableFuture",
            "static dev.retryon.durable.DurableMode.*",
            "static java.nio.charset.StandardCharsets.UTF_8");

    private final List<JavaFileObject> sources = new ArrayList<>();

    private final List<String> names = new ArrayList<>();

    static Snippets of(Page page) {
        Snippets snippets = new Snippets();
        String prefix =
                page.name().replaceAll(".*/|\\.md", "").replace('-', '_').toLowerCase(Locale.ROOT);
        page.blocks("java").forEach(block -> snippets.add(prefix + "_line_" + block.line(), block.text()));
        return snippets;
    }

    /** Adds a type that the page leaves to the reader. */
    Snippets with(String name, String text) {
        sources.add(new Source(name, text));
        return this;
    }

    /** The classes, one a block, in the order of the page. */
    List<String> names() {
        return names;
    }

    /** Whether a block becomes members of a class. */
    static boolean isMembers(String text) {
        return !text.startsWith("package ")
                && !TYPE.matcher(text).find()
                && MEMBER.matcher(text).find();
    }

    private void add(String name, String text) {
        if (text.startsWith("package ")) {
            String type = text.replaceAll("(?s).*?\\n(public )?class (\\w+).*", "$2");
            String file = text.replaceAll("(?s)^package ([\\w.]+);.*", "$1") + "." + type;
            names.add(file);
            sources.add(new Source(file, text));
            return;
        }
        StringBuilder source = new StringBuilder("package readme." + name + ";\n");
        IMPORTS.forEach(type -> source.append("import ").append(type).append(";\n"));
        names.add("readme." + name + ".Block");
        if (TYPE.matcher(text).find()) {
            source.append(text).append("\nclass Block {}");
        } else if (isMembers(text)) {
            source.append("public class Block extends Vocabulary {\n" + text + "\n}");
        } else {
            source.append(
                    "public class Block extends Vocabulary {\n public void run() throws Exception {\n" + text + "\n}}");
        }
        sources.add(new Source("readme." + name + ".Block", source.toString()));
    }

    /**
     * Compiles.
     *
     * @return the classes
     * @throws AssertionError with what the compiler says
     */
    ClassLoader compile(Path folder) throws MalformedURLException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        List<String> options = List.of(
                "-parameters",
                "-proc:none",
                "-nowarn",
                "-classpath",
                System.getProperty("java.class.path"),
                "-d",
                folder.toString());
        if (!compiler.getTask(said, null, null, options, null, sources).call()) {
            throw new AssertionError(said.toString());
        }
        return new URLClassLoader(new URL[] {folder.toUri().toURL()}, Snippets.class.getClassLoader());
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name.replace('.', '/') + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
