// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import dev.retryon.spring.internal.policy.MethodRetry;
import dev.retryon.spring.internal.policy.NamedRetries;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;

/** Beans however they are made: all are retried, all are checked, none is made for it. */
@ExtendWith(OutputCaptureExtension.class)
class BeanKindsTests {

    private final ApplicationContextRunner runner = Applications.retrying();

    @Test
    void prototypesAreRetriedEach() {
        runner.withUserConfiguration(Kinds.class).run(context -> {
            assertThat(context.getBean("prototype", Work.class).run()).isEqualTo(3);
            assertThat(context.getBean("prototype", Work.class).run())
                    .as("another one")
                    .isEqualTo(3);
        });
    }

    @Test
    void scopedBeansAreRetriedBehindTheirScopedProxies() {
        runner.withUserConfiguration(Kinds.class)
                .withInitializer(context -> context.getBeanFactory().registerScope("request", new SimpleThreadScope()))
                .run(context -> {
                    assertThat(context.getBean("scopedByClass", Work.class).run())
                            .isEqualTo(3);
                    assertThat(context.getBean("scopedByInterface", Worker.class)
                                    .run())
                            .isEqualTo(3);
                    assertThat(context.getBean("scopedPrototype", Work.class).run())
                            .isEqualTo(3);
                });
    }

    @Test
    void nothingIsToldOfScopedProxiesThemselves(CapturedOutput output) {
        runner.withUserConfiguration(Kinds.class)
                .withInitializer(context -> context.getBeanFactory().registerScope("request", new SimpleThreadScope()))
                .run(context -> {
                    context.getBean("scopedByInterface", Worker.class).run();
                    context.getBean("client", Client.class).fetch();
                    context.getBean("product", Work.class).run();
                    assertThat(context.getBean(NamedRetries.class).methods())
                            .extracting(MethodRetry::beanClass)
                            .allSatisfy(
                                    type -> assertThat(Proxy.isProxyClass(type)).isFalse());
                    assertThat(output).doesNotContain("no proxy can retry it").doesNotContain("$Proxy");
                });
    }

    @Test
    void lambdasAreRetriedByTheirInterface() {
        AtomicInteger attempts = new AtomicInteger();
        runner.withBean(Client.class, () -> () -> {
                    if (attempts.incrementAndGet() < 3) {
                        throw new IOException("down");
                    }
                    return "fetched";
                })
                .run(context -> {
                    assertThat(context.getBean(Client.class).fetch()).isEqualTo("fetched");
                    assertThat(attempts).hasValue(3);
                    assertThat(Applications.methods(context, Client.class))
                            .extracting(MethodRetry::name)
                            .containsExactly("Client.fetch");
                    assertThat(context.getBean(NamedRetries.class).methods()).hasSize(1);
                });
    }

    @Test
    void productsOfFactoryBeansAreRetried() {
        runner.withUserConfiguration(Kinds.class)
                .run(context ->
                        assertThat(context.getBean("product", Work.class).run()).isEqualTo(3));
    }

    @Test
    void generatedClientsAreRetriedByTheirInterface() {
        runner.withUserConfiguration(Kinds.class).run(context -> {
            assertThat(context.getBean("client", Client.class).fetch()).isEqualTo("fetched at 3");
            assertThat(Applications.methods(context, Client.class))
                    .singleElement()
                    .extracting(MethodRetry::name)
                    .isEqualTo("Client.fetch");
        });
    }

    @Test
    void configurationClassesAreBeansToo() {
        runner.withUserConfiguration(RetriedConfiguration.class).run(context -> {
            assertThat(context.getBean(RetriedConfiguration.class).run()).isEqualTo(3);
            assertThat(Applications.method(context, RetriedConfiguration.class, "run")
                            .name())
                    .isEqualTo("RetriedConfiguration.run");
        });
    }

    @Test
    void lazyBeansAreCheckedAtTheStartWithoutBeingMade() {
        runner.withUserConfiguration(Kinds.class)
                .withPropertyValues("retryon.methods.[" + Work.class.getName() + "].backoff=cubic")
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .satisfies(fault -> assertThat(fault.problem()).contains("cubic")));
        runner.withUserConfiguration(OneLazy.class).run(context -> {
            assertThat(Applications.methods(context, Work.class)).hasSize(1);
            assertThat(context.getBeanFactory().containsSingleton("lazy")).isFalse();
            assertThat(context.getBean(Work.class).run()).isEqualTo(3);
        });
    }

    @Test
    void aWhollyLazyApplicationIsCheckedToo() {
        runner.withUserConfiguration(OneLazy.class)
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> {
                    assertThat(Applications.methods(context, Work.class)).hasSize(1);
                    assertThat(context.getBeanFactory().containsSingleton("lazy"))
                            .isFalse();
                });
        runner.withUserConfiguration(OneLazy.class)
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withPropertyValues("retryon.methods.[" + Work.class.getName() + "].backoff=cubic")
                .run(context -> assertThat(Applications.faults(context)).hasSize(1));
    }

    @Test
    void aBeanKnownOnlyByAnInterfaceIsCheckedWhenItIsMade() {
        runner.withBean("hidden", Worker.class, Faulty::new, definition -> definition.setLazyInit(true))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    for (int time = 0; time < 2; time++) {
                        assertThatThrownBy(() -> context.getBean("hidden"))
                                .hasStackTraceContaining("backoff is 'cubic'")
                                .hasStackTraceContaining(Faulty.class.getName());
                    }
                });
    }

    interface Worker {

        int run() throws IOException;
    }

    static class Work implements Worker {

        private int calls;

        @Override
        @RetryOn(IOException.class)
        public int run() throws IOException {
            if (++calls < 3) {
                throw new IOException();
            }
            return calls;
        }
    }

    static class Faulty implements Worker {

        @Override
        @RetryOn(value = IOException.class, backoff = "cubic")
        public int run() {
            return 1;
        }
    }

    interface Client {

        @RetryOn(IOException.class)
        String fetch() throws IOException;
    }

    @Configuration(proxyBeanMethods = false)
    static class OneLazy {

        @Bean
        @Lazy
        Work lazy() {
            return new Work();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Kinds {

        @Bean
        @Scope("prototype")
        Work prototype() {
            return new Work();
        }

        @Bean
        @Scope(value = "request", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Work scopedByClass() {
            return new Work();
        }

        @Bean
        @Scope(value = "request", proxyMode = ScopedProxyMode.INTERFACES)
        Worker scopedByInterface() {
            return new Work();
        }

        @Bean
        @Scope(value = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Work scopedPrototype() {
            return new SingleWork();
        }

        @Bean
        FactoryBean<Work> product() {
            return new FactoryBean<>() {
                @Override
                public Work getObject() {
                    return new Work();
                }

                @Override
                public Class<?> getObjectType() {
                    return Work.class;
                }
            };
        }

        @Bean
        Client client() {
            int[] calls = {0};
            // As HttpServiceProxyFactory makes them: an AOP proxy without a target.
            return ProxyFactory.getProxy(Client.class, (MethodInterceptor) invocation -> {
                if (++calls[0] < 3) {
                    throw new IOException();
                }
                return "fetched at " + calls[0];
            });
        }
    }

    static class SingleWork extends Work {}

    @Configuration
    static class RetriedConfiguration {

        private int calls;

        @RetryOn(IOException.class)
        public int run() throws IOException {
            if (++calls < 3) {
                throw new IOException();
            }
            return calls;
        }

        @Bean
        String text() {
            return "text";
        }
    }
}
