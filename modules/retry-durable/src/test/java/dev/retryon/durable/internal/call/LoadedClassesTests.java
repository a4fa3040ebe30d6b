// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryContext;
import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurationImportSelector;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.AnnotationAttributes;
import org.springframework.core.type.AnnotationMetadata;

/** What an application loads that keeps no calls, and what one needs that does. */
class LoadedClassesTests {

    private static final String[] LIBRARIES = {
        "spring-jdbc",
        "spring-boot-jdbc",
        "spring-boot-sql",
        "spring-tx",
        "spring-boot-transaction",
        "HikariCP",
        "db-scheduler",
        "jackson",
        "spring-boot-jackson",
        "h2-",
        "postgresql",
        "sqlite",
        "mariadb",
        "mysql",
        "resilience4j"
    };

    @TempDir
    private Path folder;

    @Test
    void anApplicationThatKeepsNoCallsLoadsNothingForThem() throws Exception {
        try (Recorder application = new Recorder(LIBRARIES)) {
            assertThat(run(Retried.class, application, Map.of())).isEqualTo("attempt 2");
            // The beans that the auto-configuration defines, and the types of conditions and properties: no store,
            // worker or library.
            assertThat(ofStores(application))
                    .containsExactly(
                            "dev.retryon.durable.internal.call.DurableSettings",
                            "dev.retryon.durable.internal.call.DurableSettings$Transaction",
                            "dev.retryon.durable.internal.call.Lanes",
                            "dev.retryon.durable.internal.call.Lanes$Lane",
                            "dev.retryon.durable.internal.engine.CallStore",
                            "dev.retryon.durable.internal.store.Reading",
                            "dev.retryon.durable.internal.store.SchemaSettings",
                            "dev.retryon.durable.internal.store.SchemaSettings$Mode",
                            "dev.retryon.durable.internal.store.StoreMode");
        }
    }

    @Test
    void callsAreKeptWithoutMicrometerAndTheOldJackson() throws Exception {
        try (Recorder application = new Recorder("micrometer", "jackson-core-2", "jackson-databind-2")) {
            assertThat(run(
                            Kept.class,
                            application,
                            Map.of(
                                    "retryon.durable.store",
                                    "embedded",
                                    "retryon.durable.path",
                                    folder.resolve("calls.db").toString())))
                    .isEqualTo("attempt 2");
        }
    }

    private static List<String> ofStores(Recorder application) {
        return application.loaded.stream()
                .filter(name -> name.startsWith("dev.retryon.durable.internal.engine.")
                        || name.startsWith("dev.retryon.durable.internal.letter.")
                        || name.startsWith("dev.retryon.durable.internal.call.")
                        || name.startsWith("dev.retryon.durable.internal.store.")
                        || name.startsWith("com.github.kagkarlsson.")
                        || name.startsWith("tools.jackson."))
                .filter(name -> !name.startsWith(LoadedClassesTests.class.getName()))
                .toList();
    }

    @SuppressWarnings("unchecked")
    private static String run(Class<?> program, ClassLoader application, Map<String, Object> properties)
            throws ReflectiveOperationException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(application);
        try {
            return ((Function<Map<String, Object>, String>) application
                            .loadClass(program.getName())
                            .getDeclaredConstructor()
                            .newInstance())
                    .apply(properties);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** This very class path, loaded anew, without the jars whose names begin so. */
    private static final class Recorder extends URLClassLoader {

        private final Set<String> loaded = new ConcurrentSkipListSet<>();

        Recorder(String... without) throws MalformedURLException {
            super(urls(without), ClassLoader.getPlatformClassLoader());
        }

        private static URL[] urls(String... without) throws MalformedURLException {
            List<URL> urls = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
                File file = new File(entry);
                if (List.of(without).stream().noneMatch(file.getName()::startsWith)) {
                    urls.add(file.toURI().toURL());
                }
            }
            return urls.toArray(URL[]::new);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            Class<?> type = super.findClass(name);
            loaded.add(name);
            return type;
        }
    }

    /** The auto-configurations of RetryOn, chosen as Spring Boot does. */
    static class OfRetryOn extends AutoConfigurationImportSelector {

        @Override
        protected AnnotationAttributes getAttributes(AnnotationMetadata metadata) {
            return new AnnotationAttributes(Map.of("exclude", new String[0], "excludeName", new String[0]));
        }

        @Override
        protected List<String> getCandidateConfigurations(
                AnnotationMetadata metadata, AnnotationAttributes attributes) {
            return super.getCandidateConfigurations(metadata, attributes).stream()
                    .filter(name -> name.startsWith("dev.retryon.") || name.endsWith(".AopAutoConfiguration"))
                    .toList();
        }
    }

    private static ConfigurableApplicationContext start(Class<?> application, Map<String, Object> properties) {
        SpringApplication spring = new SpringApplication(application);
        spring.setWebApplicationType(WebApplicationType.NONE);
        spring.setRegisterShutdownHook(false);
        spring.setDefaultProperties(properties);
        return spring.run();
    }

    /** An application that keeps no calls. */
    @Configuration(proxyBeanMethods = false)
    @Import({OfRetryOn.class, Stock.class})
    public static class Retried implements Function<Map<String, Object>, String> {

        @Override
        public String apply(Map<String, Object> properties) {
            try (ConfigurableApplicationContext context = start(Retried.class, properties)) {
                return context.getBean(Stock.class).count();
            } catch (IOException ex) {
                throw new IllegalStateException(ex);
            }
        }
    }

    public static class Stock {

        @RetryOn(value = IOException.class, backoff = "none")
        public String count() throws IOException {
            int attempt = RetryContext.current().attempt();
            if (attempt < 2) {
                throw new IOException("failure " + attempt);
            }
            return "attempt " + attempt;
        }
    }

    /** An application that keeps calls. */
    @Configuration(proxyBeanMethods = false)
    @Import({OfRetryOn.class, Mails.class})
    public static class Kept implements Function<Map<String, Object>, String> {

        @Override
        public String apply(Map<String, Object> properties) {
            try (ConfigurableApplicationContext context = start(Kept.class, properties)) {
                Mails mails = context.getBean(Mails.class);
                mails.send("17");
                return mails.sent();
            } catch (IOException | InterruptedException ex) {
                throw new IllegalStateException(ex);
            }
        }
    }

    public static class Mails {

        private final CountDownLatch sent = new CountDownLatch(1);

        private volatile int last;

        @RetryOn(value = IOException.class, delay = "10ms")
        @Durable(ON_FAILURE)
        public void send(String id) throws IOException {
            last = RetryContext.current().attempt();
            if (last < 2) {
                throw new IOException("failure " + last);
            }
            sent.countDown();
        }

        String sent() throws InterruptedException {
            return sent.await(30, TimeUnit.SECONDS) ? "attempt " + last : "none";
        }
    }
}
