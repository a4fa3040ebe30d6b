// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.durable.DurableMode;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A build that merges jars into one might keep the {@code META-INF/spring.factories} of one of them only. */
class MergedJarTests {

    @Test
    void durableMethodsAreAFaultIfTheirEntryIsMissing() throws Exception {
        List<URL> classPath = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            classPath.add(Path.of(entry).toUri().toURL());
        }
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (MergedJar merged = new MergedJar(classPath.toArray(URL[]::new))) {
            Thread.currentThread().setContextClassLoader(merged);
            Callable<?> start = (Callable<?>) merged.loadClass(Start.class.getName())
                    .getDeclaredConstructor()
                    .newInstance();

            assertThat(start.call().toString())
                    .contains("META-INF/spring.factories: the entry for")
                    .contains("internal.settings.DurableGroup was not found");
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static final class MergedJar extends URLClassLoader {

        MergedJar(URL[] classPath) {
            super(classPath, getPlatformClassLoader());
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            List<URL> found = Collections.list(super.getResources(name));
            if (name.equals("META-INF/spring.factories")) {
                found.removeIf(file -> read(file).contains("DurableGroup"));
            }
            return Collections.enumeration(found);
        }

        private static String read(URL file) {
            try (InputStream content = file.openStream()) {
                return new String(content.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }
    }

    /** Starts an application, and returns why it has failed. */
    public static final class Start implements Callable<String> {

        private String failure = "";

        @Override
        public String call() {
            new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(
                            AopAutoConfiguration.class,
                            RetryAutoConfiguration.class,
                            RetryDurableCoreAutoConfiguration.class))
                    .withBean(Mails.class)
                    .run(context -> failure = String.valueOf(context.getStartupFailure()));
            return failure;
        }
    }

    static class Mails {

        @Durable(DurableMode.OUTBOX)
        public void send() {}
    }
}
