// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.ConfigurationPropertiesAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

/** A real Spring Boot application that is started, and what it prints when it does not start. */
public final class BootRun {

    private static final String BANNER = "APPLICATION FAILED TO START\n***************************\n";

    private final String title;

    private final String yaml;

    private final Class<?>[] beans;

    private Map<String, Object> environment = Map.of();

    private BootRun(String title, String yaml, Class<?>... beans) {
        this.title = title;
        this.yaml = yaml;
        this.beans = beans;
    }

    /** An application with an {@code application.yml}, some beans and configurations of further modules. */
    public static BootRun of(String title, String yaml, Class<?>... beans) {
        return new BootRun(title, yaml, beans);
    }

    /** Stands in for the variables of the operating system. */
    public BootRun withEnvironment(Map<String, Object> variables) {
        this.environment = variables;
        return this;
    }

    public ConfigurableApplicationContext start(String... arguments) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setRegisterShutdownHook(false);
        application.addPrimarySources(List.of(beans));
        application.addInitializers(context -> addProperties(context.getEnvironment()));
        return application.run(arguments);
    }

    /** What is printed, from "Description:" on; the start is expected to fail. */
    public String failure(CapturedOutput output, String... arguments) {
        int before = output.getAll().length();
        try (ConfigurableApplicationContext context = start(arguments)) {
            throw new AssertionError("the application has started");
        } catch (RuntimeException ex) {
            String printed = output.getAll().substring(before).replace("\r", "");
            int banner = printed.indexOf(BANNER);
            if (banner < 0) {
                throw new AssertionError("printed no analysis: " + printed, ex);
            }
            if (printed.substring(0, banner).contains("\tat ")
                    || printed.substring(banner).contains("\tat ")) {
                throw new AssertionError("printed a stack trace: " + printed, ex);
            }
            String analysis = printed.substring(banner + BANNER.length()).strip();
            keep(analysis);
            return analysis;
        }
    }

    /** Keeps what was printed in target/diagnostics, for people to read. */
    private void keep(String analysis) {
        try {
            Path folder = Files.createDirectories(Path.of("target", "diagnostics"));
            Files.writeString(
                    folder.resolve(title.replace(' ', '-') + ".txt"),
                    "==== " + title + " ====\n" + (yaml.isBlank() ? "" : "# application.yml\n" + yaml + "\n") + analysis
                            + "\n",
                    StandardCharsets.UTF_8);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private void addProperties(ConfigurableEnvironment target) {
        String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
        target.getPropertySources().replace(name, new OriginAwareSystemEnvironmentPropertySource(name, environment));
        ByteArrayResource resource = new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)) {
            @Override
            public String getDescription() {
                return "class path resource [application.yml]";
            }
        };
        try {
            new YamlPropertySourceLoader()
                    .load("application.yml", resource)
                    .forEach(target.getPropertySources()::addLast);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Boot's own class for it is not public; names are read in the same way. */
    private static final class OriginAwareSystemEnvironmentPropertySource extends SystemEnvironmentPropertySource {

        OriginAwareSystemEnvironmentPropertySource(String name, Map<String, Object> variables) {
            super(name, variables);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        RetryAutoConfiguration.class,
        AopAutoConfiguration.class,
        ConfigurationPropertiesAutoConfiguration.class,
        PropertyPlaceholderAutoConfiguration.class
    })
    static class Application {}
}
