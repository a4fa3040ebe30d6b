// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.style;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.RetryContext;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import reactor.core.publisher.Flux;

/** Applications that lack what the starter can make use of. */
@Tag("slow")
class OptionalLibrariesTests {

    @ParameterizedTest
    @CsvSource({
        "reactor-, reactor.core.publisher.Flux",
        "reactive-streams, org.reactivestreams.Publisher",
        "context-propagation, io.micrometer.context.ContextSnapshot",
        "micrometer-observation, io.micrometer.observation.Observation",
        "micrometer-core, io.micrometer.core.instrument.MeterRegistry",
        "kotlin, kotlin.Metadata",
        "assertj-core, org.assertj.core.api.Assertions",
    })
    void retriesFuturesWithout(String jar, String type) throws Exception {
        try (URLClassLoader application = classPathWithout(jar)) {
            assertThatExceptionOfType(ClassNotFoundException.class).isThrownBy(() -> application.loadClass(type));
            assertThat(program(application).call()).isEqualTo("attempt 3, then attempt 3");
        }
    }

    @Test
    void retriesFuturesWithoutAnyOfThem() throws Exception {
        try (URLClassLoader application = classPathWithout(
                "react", "context-propagation", "micrometer", "kotlin", "assertj", "spring-security", "spring-web")) {
            assertThat(program(application).call()).isEqualTo("attempt 3, then attempt 3");
        }
    }

    @Test
    void backsOffWhereReactorIsNotThere() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
                .withClassLoader(new FilteredClassLoader(Flux.class))
                .run(context ->
                        assertThat(context).hasBean("retryOnFutureStyle").doesNotHaveBean("retryOnReactiveStyle"));
    }

    /** This very class path, loaded anew, without the jars whose names begin so. */
    private static URLClassLoader classPathWithout(String... jars) throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            File file = new File(entry);
            if (List.of(jars).stream().noneMatch(file.getName()::startsWith)) {
                urls.add(file.toURI().toURL());
            }
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    @SuppressWarnings("unchecked")
    private static Callable<String> program(ClassLoader application) throws ReflectiveOperationException {
        return (Callable<String>) application
                .loadClass(Program.class.getName())
                .getDeclaredConstructor()
                .newInstance();
    }

    /** An application; knows neither a test library nor anything optional. */
    public static final class Program implements Callable<String> {

        @Override
        public String call() throws Exception {
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            thread.setContextClassLoader(Program.class.getClassLoader());
            try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
                context.setClassLoader(Program.class.getClassLoader());
                context.register(RetryAutoConfiguration.class, Stock.class);
                context.refresh();
                Stock stock = context.getBean(Stock.class);
                return stock.blocking() + ", then " + stock.future().get();
            } finally {
                thread.setContextClassLoader(before);
            }
        }
    }

    public static class Stock {

        @RetryOn(value = IOException.class, backoff = "none")
        public String blocking() throws IOException {
            int attempt = RetryContext.current().attempt();
            if (attempt < 3) {
                throw new IOException("failure " + attempt);
            }
            return "attempt " + attempt;
        }

        @RetryOn(value = IOException.class, backoff = "none")
        public CompletableFuture<String> future() throws IOException {
            return CompletableFuture.completedFuture(blocking());
        }
    }
}
