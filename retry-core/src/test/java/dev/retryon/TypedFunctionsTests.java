// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.util.JavacTask;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A function with a type that does not fit the calls is a compile error. At run time it would replace their errors. */
class TypedFunctionsTests {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Integer n = builder.recovery((subject, error, context) -> \"unknown\").build().call(() -> 1);",
                "Integer n = retry.callOrRecover(() -> 1, (error, context) -> \"unknown\");",
                "builder.beforeRetry((String subject, RetryContext call) -> System.out.println(subject.length()));",
                "BeforeRetry<String> before = (subject, call) -> {}; builder.beforeRetry(before);",
                "builder.subjects((String subject) -> CallSubject.of(subject, null));",
                "builder.uncheckedRecovery((String subject, Throwable error, RetryContext context) -> subject.length());"
            })
    void ofAnotherTypeIsACompileError(String statement) {
        assertThat(errors(statement)).isNotEmpty();
    }

    @Test
    void ofTheRightTypeIsCompiled() {
        assertThat(errors("""
                Integer n = retry.callOrRecover(() -> 1, (error, context) -> context.attempt());
                Number m = retry.callOrRecover(() -> 1.5, (error, context) -> 1);
                String text = retry.callOrRecover(() -> { throw new java.io.IOException(); }, (error, context) -> context.name());
                builder.beforeRetry((subject, call) -> call.attributes().clear());
                builder.subjects(subject -> CallSubject.of("key", subject));
                builder.uncheckedRecovery((subject, error, context) -> "unknown");
                """)).isEmpty();
    }

    /** Compiles statements. Returns the messages of the compiler. */
    private static List<String> errors(String statements) {
        JavaFileObject source =
                new SimpleJavaFileObject(URI.create("string:///acme/Application.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return """
                        package acme;
                        import dev.retryon.*;
                        class Application {
                            void run(RetryBuilder builder, Retry retry) throws Exception {
                                %s
                            }
                        }
                        """.formatted(statements);
                    }
                };
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<String> options =
                List.of("-proc:none", "-classpath", path(Retry.class) + File.pathSeparator + path(NullMarked.class));
        JavacTask task = (JavacTask)
                ToolProvider.getSystemJavaCompiler().getTask(null, null, found, options, null, List.of(source));
        try {
            var unused = task.analyze();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        return found.getDiagnostics().stream()
                .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .map(each -> each.getMessage(Locale.ROOT))
                .toList();
    }

    private static String path(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException ex) {
            throw new AssertionError(ex);
        }
    }
}
