// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.test.RecordedRetries;
import java.io.IOException;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.AbstractFactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;

/** Beans of every kind can fail. */
class FaultyBeanKindsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
            .withUserConfiguration(VirtualRetriesConfiguration.class, Faults.class)
            .withPropertyValues("retryon.defaults.exceptions=java.io.IOException");

    @Test
    void aFinalClassThatImplementsTheInterface() {
        fails(runner.withBean(Answer.class, () -> new Answer("price")), "clientFaults");
    }

    @Test
    void aFinalClassWithoutAnInterfaceIsLeftAlone() {
        runner.withBean(Sealed.class)
                .withBean(Client.class, () -> new Answer("price"))
                .withBean("baseFaults", FaultInjection.class, () -> FaultInjection.in(Base.class))
                .run(context -> assertThat(context.getStartupFailure())
                        .hasMessageContainingAll("FaultInjection.in(Base.class)", "no bean of this type can fail"));
        runner.withBean(Sealed.class)
                .withBean(Open.class)
                .withBean(Client.class, () -> new Answer("price"))
                .withBean("baseFaults", FaultInjection.class, () -> FaultInjection.in(Base.class))
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** What both extend. */
    abstract static class Base {

        public String place() {
            return "placed";
        }
    }

    static final class Sealed extends Base {}

    static class Open extends Base {}

    @Test
    void aClassBehindAProxyOfItsInterfaces() {
        fails(
                runner.withPropertyValues("spring.aop.proxy-target-class=false").withBean(RetriedClient.class),
                "clientFaults");
    }

    @Test
    void aClassThatIsNamedItselfBehindAProxyOfItsInterfaces() {
        fails(
                runner.withPropertyValues("spring.aop.proxy-target-class=false")
                        .withBean(RetriedClient.class)
                        .withBean("other", FaultInjection.class, () -> FaultInjection.in(RetriedClient.class)),
                "other");
    }

    @Test
    void anInterfaceThatAdviceImplementsInFrontOfATargetOfAnotherType() {
        ProxyFactory repository = new ProxyFactory(new Object());
        repository.setInterfaces(Client.class);
        repository.addAdvice((MethodInterceptor) call -> "price");
        fails(runner.withBean(Client.class, () -> (Client) repository.getProxy()), "clientFaults");
    }

    @Test
    void aBeanThatAFactoryCreatesLater() {
        fails(runner.withUserConfiguration(LaterClient.class), "clientFaults");
    }

    @Test
    void aRetriedInterfaceThatAdviceImplements() {
        runner.withBean(RetriedInterface.class, () -> implementedByAdvice(RetriedInterface.class))
                .run(context -> {
                    faults(context).fail("price", 2, IOException::new);
                    assertThat(context.getBean(Client.class).price()).isEqualTo("price");
                    assertThat(context.getBean(RecordedRetries.class))
                            .of("RetriedInterface.price")
                            .attempted(3);
                });
    }

    @Test
    void anInterfaceThatAdviceImplements() {
        fails(runner.withBean(Client.class, () -> implementedByAdvice(Client.class)), "clientFaults");
    }

    @Test
    void aBeanBehindAScopedProxyFailsOnce() {
        runner.withUserConfiguration(Scoped.class).run(context -> {
            Client client = context.getBean("client", Client.class);
            faults(context).failRandomly("price", 0.3, 42, IllegalStateException::new);
            int failed = 0;
            for (int i = 0; i < 1000; i++) {
                try {
                    client.price();
                } catch (IllegalStateException ex) {
                    failed++;
                }
            }
            // 0.3 ± 3 standard deviations of sqrt(0.3 · 0.7 / 1000) = 0.0145; twice it would be 0.51
            assertThat(failed).isBetween(256, 344);
        });
    }

    @Test
    void aClassThatDeclaresLessThanItsInterfaceCannotFailWithACheckedException() {
        runner.withBean(SafeClient.class).run(context -> {
            faults(context).fail("price", 1, IOException::new);
            assertThatIllegalArgumentException()
                    .isThrownBy(context.getBean(Client.class)::price)
                    .withMessageContaining("SafeClient.price can throw only unchecked exceptions. For example:");
        });
    }

    @Test
    void aLazyBean() {
        fails(runner.withUserConfiguration(LazyClient.class), "clientFaults");
    }

    @Test
    void otherAdviceOfTheBeanMeetsTheFault() {
        runner.withUserConfiguration(OtherAdvice.class)
                .withBean(RetriedClient.class)
                .run(context -> {
                    faults(context).fail("price", 1, IOException::new);
                    assertThat(context.getBean(Client.class).price()).isEqualTo("instead");
                });
    }

    @Test
    void aContextWithoutSuchABeanDoesNotStart() {
        runner.run(context -> assertThat(context)
                .getFailure()
                .hasMessage("FaultInjection.in(Client.class): no bean of this type can fail."
                        + " Specify the type of a bean. Mocks cannot fail, so remove @MockitoBean."));
    }

    @Test
    void aContextWithOnlyAMockDoesNotStart() {
        runner.withInitializer(context -> ((DefaultListableBeanFactory) context.getBeanFactory())
                        .registerSingleton("mock", new Answer("mocked")))
                .run(context -> assertThat(context).getFailure().hasMessageContaining("Beans of the type: mock."));
    }

    @Test
    void beansOfOtherTypesHaveNoProxy() {
        runner.withBean(RetriedClient.class)
                .withBean(StringBuilder.class, () -> new StringBuilder("other"))
                .run(context -> assertThat(context.getBean(StringBuilder.class).getClass())
                        .isEqualTo(StringBuilder.class));
    }

    private static void fails(ApplicationContextRunner runner, String bean) {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            Client client = context.getBean(Client.class);
            FaultInjection<?> faults = context.getBean(bean, FaultInjection.class);
            faults.failRandomly("price", 1, 42, IOException::new);
            assertThatExceptionOfType(IOException.class).isThrownBy(client::price);
            faults.clear();
            assertThat(client.price()).isEqualTo("price");
        });
    }

    private static FaultInjection<?> faults(ApplicationContext context) {
        return context.getBean(FaultInjection.class);
    }

    private static <C> C implementedByAdvice(Class<C> type) {
        return ProxyFactory.getProxy(type, (MethodInterceptor) call -> "price");
    }

    interface Client {

        String price() throws IOException;
    }

    interface RetriedInterface extends Client {

        @Override
        @RetryOn
        String price() throws IOException;
    }

    record Answer(String price) implements Client {}

    static class RetriedClient implements Client {

        @Override
        @RetryOn
        public String price() throws IOException {
            return "price";
        }
    }

    static class SafeClient implements Client {

        @Override
        public String price() {
            return "price";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Faults {

        @Bean
        static FaultInjection<Client> clientFaults() {
            return FaultInjection.in(Client.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Scoped {

        @Bean
        @Scope(value = BeanDefinition.SCOPE_PROTOTYPE, proxyMode = ScopedProxyMode.TARGET_CLASS)
        RetriedClient client() {
            return new RetriedClient();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyClient {

        @Bean
        @Lazy
        Client client() {
            return new Answer("price");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LaterClient {

        @Bean
        FactoryBean<Client> client() {
            return new AbstractFactoryBean<>() {

                @Override
                public Class<?> getObjectType() {
                    return Client.class;
                }

                @Override
                protected Client createInstance() {
                    return new Answer("price");
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OtherAdvice {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor innermost() {
            NameMatchMethodPointcut price = new NameMatchMethodPointcut();
            price.setMappedName("price");
            return new DefaultPointcutAdvisor(price, (MethodInterceptor) call -> {
                try {
                    return call.proceed();
                } catch (IOException ex) {
                    return "instead";
                }
            });
        }
    }
}
