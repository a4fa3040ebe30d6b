// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.beans;

import dev.retryon.benchmarks.call.Probe;
import dev.retryon.benchmarks.call.TransientFault;
import java.util.List;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;

/** A Spring Boot application with generated beans. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
public class GeneratedApplication {

    /**
     * Prepares an application.
     *
     * @param set what its beans are annotated with
     * @param names their classes
     * @param loader knows the classes
     * @return the application, to be run
     */
    public static SpringApplication prepare(BeanSet set, List<String> names, ClassLoader loader) {
        return new SpringApplicationBuilder(GeneratedApplication.class, set.configuration())
                .resourceLoader(new DefaultResourceLoader(loader))
                .initializers(context -> register((GenericApplicationContext) context, names))
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .properties(
                        "logging.level.root=warn",
                        "retryon.metrics.enabled=" + set.hasMetrics(),
                        "resilience4j.retry.instances.call.max-attempts=3",
                        "resilience4j.retry.instances.call.wait-duration=0",
                        "resilience4j.retry.instances.call.retry-exceptions=" + TransientFault.class.getName())
                .build();
    }

    private static void register(GenericApplicationContext context, List<String> names) {
        for (String name : names) {
            RootBeanDefinition definition = new RootBeanDefinition();
            definition.setBeanClassName(name);
            context.registerBeanDefinition(name, definition);
        }
    }

    /**
     * The first generated bean; looks whether all are what they should be.
     *
     * @param context the running application
     * @param set what its beans are annotated with
     * @param names their classes
     * @return the bean
     */
    public static GeneratedCall first(ConfigurableApplicationContext context, BeanSet set, List<String> names) {
        for (String name : names) {
            Object bean = context.getBean(name);
            if (AopUtils.isCglibProxy(bean) != set.isAdvised()) {
                throw new IllegalStateException(set + ": " + bean.getClass() + " is not what it should be");
            }
        }
        GeneratedCall bean = (GeneratedCall) context.getBean(names.get(0));
        Probe probe = new Probe();
        if (bean.call0(probe.begin(0)) != probe) {
            throw new IllegalStateException(set + " did not return what it should");
        }
        return bean;
    }
}
