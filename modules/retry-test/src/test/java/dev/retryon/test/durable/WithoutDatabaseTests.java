// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.durable;

import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Virtual calls need no database, and do not use the one that the application has. */
class WithoutDatabaseTests {

    @Test
    void theDatabaseOfTheApplicationIsNotUsed() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        RetryAutoConfiguration.class,
                        RetryDurableCoreAutoConfiguration.class,
                        RetryDurableAutoConfiguration.class,
                        VirtualDurableCallsConfiguration.class))
                .withPropertyValues("retryon.jdbc.initialize-schema=always")
                .withBean(Mails.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    run(context.getSourceApplicationContext());
                    try (Connection database = context.getBean(DataSource.class).getConnection()) {
                        assertThat(database.getMetaData()
                                        .getTables(null, null, "RETRYON%", null)
                                        .next())
                                .isFalse();
                    }
                });
    }

    private static boolean run(ConfigurableApplicationContext context) throws IOException {
        context.getBean(Mails.class).send(2);
        VirtualCalls calls = context.getBean(VirtualCalls.class);
        boolean wasStored = calls.waiting().size() == 1;
        int runs = calls.advance(Duration.ofMinutes(1));
        return wasStored && runs == 2 && calls.waiting().isEmpty();
    }

    /** With class loading as in an application: a filter only hides classes from conditions. */
    @Test
    @Tag("slow")
    void classesOfADatabaseAreNotNeeded() throws Exception {
        List<URL> classPath = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            String name = new File(entry).getName();
            if (Stream.of("db-scheduler", "HikariCP", "h2-", "spring-jdbc", "spring-boot-jdbc", "spring-boot-sql")
                    .noneMatch(name::startsWith)) {
                classPath.add(new File(entry).toURI().toURL());
            }
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader application =
                new URLClassLoader(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(application);
            Object ran = application
                    .loadClass(Program.class.getName())
                    .getMethod("runs")
                    .invoke(null);
            assertThat(ran).isEqualTo(true);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        RetryAutoConfiguration.class,
        RetryDurableCoreAutoConfiguration.class,
        RetryDurableAutoConfiguration.class,
        VirtualDurableCallsConfiguration.class
    })
    @Import(Mails.class)
    public static class Program {

        public static boolean runs() throws Exception {
            try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Program.class)
                    .web(WebApplicationType.NONE)
                    .registerShutdownHook(false)
                    .run()) {
                return run(context);
            }
        }
    }

    /** Public, because another class loader defines its proxy. */
    public static class Mails {

        private int attempts;

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void send(int failures) throws IOException {
            if (attempts++ < failures) {
                throw new IOException("attempt " + attempts);
            }
        }
    }
}
