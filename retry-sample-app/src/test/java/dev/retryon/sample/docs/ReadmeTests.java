// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.docs;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.test.RecordedRetries;
import dev.retryon.test.spring.VirtualRetriesConfiguration;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Compiles and runs the examples of the README, of the guide to policies, of the annotation and of the first steps. */
@Tag("slow")
class ReadmeTests {

    private static final Page README = Page.read("README.md");

    private static final String QUICK_START = "com.acme.shop.PaymentService";

    private static final String GATEWAY = "com.acme.shop.Gateway";

    /** The code after each migration; what it comes from is checked where the recipes are. */
    private static final List<Page> MIGRATIONS = List.of(
            Page.read("docs/migrating/spring-retry.md"),
            Page.read("docs/migrating/spring-framework.md"),
            Page.read("docs/migrating/resilience4j.md"));

    @TempDir
    private static Path folder;

    private static final Page GUIDE = Page.read("docs/choosing-a-policy.md");

    private static final Page FIRST_STEPS = Page.read("docs/getting-started.md");

    private static final Page ANNOTATION = Page.read("docs/annotation.md");

    private static Snippets readme;

    private static Snippets annotation;

    private static Snippets guide;

    private static ClassLoader classes;

    @BeforeAll
    static void compile() throws IOException {
        readme = Snippets.of(README).with(GATEWAY, """
                package com.acme.shop;
                public interface Gateway {
                    String charge(String order) throws java.io.IOException;
                }
                """);
        guide = Snippets.of(GUIDE);
        guide.compile(folder);
        annotation = Snippets.of(ANNOTATION);
        annotation.compile(folder);
        Snippets.of(FIRST_STEPS).compile(folder);
        for (Page page : MIGRATIONS) {
            Snippets.of(page).compile(folder);
        }
        classes = readme.compile(folder);
    }

    @Test
    void isShort() {
        assertThat(README.lines()).hasSizeLessThanOrEqualTo(160);
    }

    @Test
    void quickStartRetriesAsItsPropertiesSay() {
        runner(README.blocks("yaml").get(0))
                .withUserConfiguration(VirtualRetriesConfiguration.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Object service = context.getBean(type(QUICK_START));
                    Method charge = service.getClass().getMethod("charge", String.class);
                    assertThat(charge.invoke(service, "order")).isEqualTo("charged order");
                    // Without the properties there would be 3 attempts, and waits from 0.5 s on.
                    // Here the longest wait is the third, 200 ms · 2² · 1.5.
                    assertThat(context.getBean(RecordedRetries.class))
                            .of("PaymentService.charge")
                            .attempted(4)
                            .waitedBetween(ofMillis(100), ofMillis(1_200))
                            .succeeded();
                });
        // 4 = 3 failures + 1
        assertThat(GatewayCalls.COUNT).hasValue(4);
    }

    @Test
    void propertiesAreAccepted() {
        for (Page page : List.of(README, GUIDE, ANNOTATION, FIRST_STEPS, MIGRATIONS.get(2))) {
            for (Page.Block block : page.blocks("yaml")) {
                runner(block)
                        .run(context -> assertThat(context)
                                .as(page.name() + ", line " + block.line())
                                .hasNotFailed());
            }
        }
    }

    /** Each block of members is made a bean; an annotation that is wrong would fail its start. */
    @Test
    void annotationsAreAccepted() throws ReflectiveOperationException {
        int started = 0;
        for (Snippets snippets : List.of(readme, guide, annotation)) {
            for (String name : snippets.names()) {
                Class<?> block = type(name);
                boolean annotated = List.of(block.getDeclaredMethods()).stream()
                        .anyMatch(method -> method.isAnnotationPresent(RetryOn.class));
                if (annotated && Vocabulary.class.isAssignableFrom(block)) {
                    start(block);
                    started++;
                }
            }
        }
        long annotated = Stream.of(README, GUIDE, ANNOTATION)
                .flatMap(page -> page.blocks("java").stream())
                .filter(block ->
                        Snippets.isMembers(block.text()) && block.text().contains("@RetryOn("))
                .count();
        assertThat(annotated).isGreaterThan(5);
        assertThat(started).isEqualTo((int) annotated);
    }

    @Test
    void plainJavaRuns() throws ReflectiveOperationException {
        String name = annotation.names().get(annotation.names().size() - 1);
        Object block = type(name).getConstructor().newInstance();
        type(name).getMethod("run").invoke(block);
    }

    private static <T> void start(Class<T> type) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
                .withClassLoader(classes)
                .withPropertyValues(
                        "retryon.policies.partner.exceptions=java.io.IOException",
                        "retryon.policies.payments.exceptions=java.io.IOException")
                .withBean(type)
                .run(context -> assertThat(context).as(type.getName()).hasNotFailed());
    }

    private static ApplicationContextRunner runner(Page.Block block) {
        String[] properties = Yaml.read(block).entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .toArray(String[]::new);
        return withQuickStart(new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
                .withClassLoader(classes)
                .withPropertyValues(properties));
    }

    private static ApplicationContextRunner withQuickStart(ApplicationContextRunner runner) {
        return withBean(runner, type(QUICK_START));
    }

    private static <T> ApplicationContextRunner withBean(ApplicationContextRunner runner, Class<T> service) {
        Supplier<T> made = () -> {
            Class<?> gateway = type(GATEWAY);
            try {
                return service.getConstructor(gateway).newInstance(GatewayCalls.failingThrice(gateway));
            } catch (ReflectiveOperationException ex) {
                throw new IllegalStateException(ex);
            }
        };
        return runner.withBean(service, made);
    }

    private static Class<?> type(String name) {
        try {
            return classes.loadClass(name);
        } catch (ClassNotFoundException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** A gateway that fails three times. */
    private static final class GatewayCalls {

        static final AtomicInteger COUNT = new AtomicInteger();

        static Object failingThrice(Class<?> gateway) {
            COUNT.set(0);
            return Proxy.newProxyInstance(classes, new Class<?>[] {gateway}, (proxy, method, arguments) -> {
                if (COUNT.incrementAndGet() <= 3) {
                    throw new IOException("failure " + COUNT);
                }
                return "charged " + arguments[0];
            });
        }
    }
}
