// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import dev.retryon.spring.internal.policy.MethodRetry;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.target.EmptyTargetSource;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Every kind of proxy retries, and a bean has one (architecture, "Proxies"). */
class ProxiesTests {

    private final ApplicationContextRunner runner = Applications.retrying();

    static Stream<Arguments> anyKindOfProxyRetries() {
        return Stream.of(
                arguments("", Greeting.class, false),
                arguments("spring.aop.auto=false", Greeting.class, false),
                arguments("spring.aop.auto=true", Greeting.class, false),
                arguments("spring.aop.proxy-target-class=false", Greeting.class, true),
                arguments("spring.aop.proxy-target-class=false", AnnotatedOnInterface.class, true),
                arguments("spring.aop.proxy-target-class=false", GenericGreeting.class, true),
                arguments("spring.aop.proxy-target-class=false", Plain.class, false),
                arguments("spring.aop.proxy-target-class=true", AnnotatedOnInterface.class, false),
                arguments("spring.aop.proxy-target-class=true", GenericGreeting.class, false));
    }

    @ParameterizedTest(name = "{1}, {0}")
    @MethodSource
    void anyKindOfProxyRetries(String property, Class<?> beanClass, boolean jdk) {
        for (boolean aspects : new boolean[] {false, true}) {
            ApplicationContextRunner application =
                    aspects ? runner.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class)) : runner;
            application
                    .withPropertyValues(property.isEmpty() ? "any=thing" : property)
                    .withBean("bean", beanClass)
                    .run(context -> {
                        Object bean = context.getBean("bean");
                        assertThat(AopUtils.isJdkDynamicProxy(bean)).isEqualTo(jdk);
                        assertThat(AopUtils.isCglibProxy(bean)).isEqualTo(!jdk);
                        assertThat(bean instanceof Greeter<?> ? greet((Greeter<?>) bean) : ((Plain) bean).greet("you"))
                                .isEqualTo("hello you, 3");
                        assertThat(retryAdvisors(bean)).isEqualTo(1);
                        assertThat(Applications.methods(context, beanClass))
                                .singleElement()
                                .extracting(MethodRetry::name)
                                .isEqualTo(beanClass.getSimpleName() + ".greet");
                    });
        }
    }

    @SuppressWarnings("unchecked")
    private static Object greet(Greeter<?> greeter) throws IOException {
        return ((Greeter<String>) greeter).greet("you");
    }

    @Test
    void anImplementationsMethodThatIsOnNoInterfaceOfItsJdkProxyIsAFault() {
        runner.withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean(OffInterface.class)
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .satisfies(fault -> {
                            assertThat(fault.where())
                                    .contains("@RetryOn on " + OffInterface.class.getName() + ".other");
                            assertThat(fault.problem())
                                    .contains("not in any interface of the bean, which has a JDK proxy");
                        }));
    }

    @Test
    void alsoWhenTheBeanIsMadeLater() {
        runner.withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean("late", OffInterface.class, OffInterface::new, definition -> definition.setLazyInit(true))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    for (int time = 0; time < 2; time++) {
                        assertThatThrownBy(() -> context.getBean("late"))
                                .hasStackTraceContaining("not in any interface of the bean");
                    }
                });
    }

    @Test
    void aBeanThatIsExposedTwiceIsAdvisedOnce() {
        runner.withUserConfiguration(ExposedTwice.class).run(context -> {
            NoInterface second = (NoInterface) context.getBean("second");
            assertThat(second.greet("you")).isEqualTo("hello you, 3");
            assertThatThrownBy(() -> second.fail(new IOException())).isInstanceOf(IOException.class);
            assertThat(second.calls()).isEqualTo(6); // 3 + 3, not 3 + 9
        });
    }

    @Test
    void aTargetThatIsSwappedIsRetriedByItsOwnClass() {
        runner.withBean(NoInterface.class).run(context -> {
            HotSwappableTargetSource source = new HotSwappableTargetSource(new Greeting());
            ProxyFactory factory = new ProxyFactory();
            factory.addInterface(Greeter.class);
            factory.setTargetSource(source);
            factory.addAdvisor(context.getBean(RetryAdvisor.class));
            @SuppressWarnings("unchecked")
            Greeter<String> greeter = (Greeter<String>) factory.getProxy();
            assertThat(greeter.greet("you")).isEqualTo("hello you, 3");
            source.swap(new Twice());
            assertThatThrownBy(() -> greeter.greet("you"))
                    .as("this class makes two attempts")
                    .hasMessage("failure 2");
            source.swap(new Unretried());
            assertThatThrownBy(() -> greeter.greet("you")).hasMessage("failure 1");
        });
    }

    @Test
    void aProxyWithoutATargetIsRetriedByItsInterface() {
        runner.withBean(NoInterface.class).run(context -> {
            AtomicInteger calls = new AtomicInteger();
            MethodInterceptor remote = invocation -> {
                if (calls.incrementAndGet() < 3) {
                    throw new IOException();
                }
                return "answer " + calls;
            };
            ProxyFactory factory = new ProxyFactory();
            factory.addInterface(RetriedGreeter.class);
            factory.setTargetSource(EmptyTargetSource.INSTANCE);
            factory.addAdvice(context.getBean(RetryAdvisor.class).getAdvice());
            factory.addAdvice(remote);
            assertThat(((RetriedGreeter) factory.getProxy()).greet("you")).isEqualTo("answer 3");
        });
    }

    @Test
    void eachAttemptPassesTheAdviceFurtherIn() {
        runner.withBean(NoInterface.class).run(context -> {
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger outside = new AtomicInteger();
            ProxyFactory factory = new ProxyFactory(new NoInterface());
            factory.setProxyTargetClass(true);
            factory.addAdvice((MethodInterceptor) invocation -> {
                outside.incrementAndGet();
                return invocation.proceed();
            });
            factory.addAdvice(context.getBean(RetryAdvisor.class).getAdvice());
            factory.addAdvice((MethodInterceptor) invocation -> {
                inside.incrementAndGet();
                return invocation.proceed();
            });
            assertThat(((NoInterface) factory.getProxy()).greet("you")).isEqualTo("hello you, 3");
            assertThat(outside).hasValue(1);
            assertThat(inside).hasValue(3);
        });
    }

    @Test
    void adviceThatIsAddedAfterTheFirstCallIsPassedByEachAttempt() {
        runner.withBean(Plain.class).run(context -> {
            Plain plain = context.getBean(Plain.class);
            assertThat(plain.greet("you")).isEqualTo("hello you, 3");
            AtomicInteger inside = new AtomicInteger();
            ((Advised) plain).addAdvice(failingTwice(inside));
            assertThat(plain.greet("you")).isEqualTo("hello you, 4");
            assertThat(inside).hasValue(3);
        });
    }

    @Test
    void anAdviceThatSomebodyPutsIntoSeveralChainsIsRightInEach() {
        runner.withBean(NoInterface.class).run(context -> {
            Advice shared = context.getBean(RetryAdvisor.class).getAdvice();
            AtomicInteger inside = new AtomicInteger();
            assertThat(greeter(shared).greet("you")).isEqualTo("hello you, 3");
            assertThat(greeter(shared, failingTwice(inside)).greet("you")).isEqualTo("hello you, 3");
            assertThat(inside).as("passed by each attempt").hasValue(5);
        });
    }

    private static MethodInterceptor failingTwice(AtomicInteger calls) {
        return invocation -> {
            if (calls.incrementAndGet() < 3) {
                throw new IOException("advice " + calls);
            }
            return invocation.proceed();
        };
    }

    /** Of one proxy class, whatever the advice. */
    @SuppressWarnings("unchecked")
    private static Greeter<String> greeter(Advice... chain) {
        ProxyFactory factory = new ProxyFactory();
        factory.addInterface(Greeter.class);
        factory.setTarget(new Often());
        for (Advice advice : chain) {
            factory.addAdvice(advice);
        }
        return (Greeter<String>) factory.getProxy();
    }

    @Test
    void aSelfInvocationIsNotRetried() {
        runner.withBean(NoInterface.class).run(context -> {
            NoInterface bean = context.getBean(NoInterface.class);
            assertThatThrownBy(() -> bean.indirectly("you")).hasMessage("failure 1");
        });
    }

    private static long retryAdvisors(Object bean) {
        return Arrays.stream(((Advised) bean).getAdvisors())
                .filter(RetryAdvisor.class::isInstance)
                .count();
    }

    interface Greeter<T> {

        String greet(T whom) throws IOException;
    }

    static class Greeting implements Greeter<String> {

        private int calls;

        @Override
        @RetryOn(IOException.class)
        public String greet(String whom) throws IOException {
            if (++calls < 3) {
                throw new IOException("failure " + calls);
            }
            return "hello " + whom + ", " + calls;
        }
    }

    interface RetriedGreeter extends Greeter<String> {

        @Override
        @RetryOn(IOException.class)
        String greet(String whom) throws IOException;
    }

    static class AnnotatedOnInterface implements RetriedGreeter {

        private int calls;

        @Override
        public String greet(String whom) throws IOException {
            if (++calls < 3) {
                throw new IOException();
            }
            return "hello " + whom + ", " + calls;
        }
    }

    interface RetriedGenericGreeter<T> extends Greeter<T> {

        @Override
        @RetryOn(IOException.class)
        String greet(T whom) throws IOException;
    }

    static class GenericGreeting implements RetriedGenericGreeter<String> {

        private int calls;

        @Override
        @RetryOn(IOException.class)
        public String greet(String whom) throws IOException {
            if (++calls < 3) {
                throw new IOException();
            }
            return "hello " + whom + ", " + calls;
        }
    }

    static class Twice implements Greeter<String> {

        private int calls;

        @Override
        @RetryOn(value = IOException.class, maxAttempts = 2)
        public String greet(String whom) throws IOException {
            throw new IOException("failure " + ++calls);
        }
    }

    static class Often implements Greeter<String> {

        private int calls;

        @Override
        @RetryOn(value = IOException.class, maxAttempts = 9)
        public String greet(String whom) throws IOException {
            if (++calls < 3) {
                throw new IOException("failure " + calls);
            }
            return "hello " + whom + ", " + calls;
        }
    }

    static class Unretried implements Greeter<String> {

        private int calls;

        @Override
        public String greet(String whom) throws IOException {
            throw new IOException("failure " + ++calls);
        }
    }

    static class OffInterface implements Greeter<String> {

        @Override
        public String greet(String whom) {
            return whom;
        }

        @RetryOn(IOException.class)
        public void other() {}
    }

    static class Plain {

        private int calls;

        @RetryOn(IOException.class)
        public String greet(String whom) throws IOException {
            if (++calls < 3) {
                throw new IOException();
            }
            return "hello " + whom + ", " + calls;
        }
    }

    @RetryOn(IOException.class)
    static class NoInterface {

        private int calls;

        int calls() {
            return calls;
        }

        public String greet(String whom) throws IOException {
            if (++calls < 3) {
                throw new IOException("failure " + calls);
            }
            return "hello " + whom + ", " + calls;
        }

        @RetryOn
        void fail(IOException error) throws IOException {
            calls++;
            throw error;
        }

        String indirectly(String whom) throws IOException {
            return greet(whom);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ExposedTwice {

        @Bean
        NoInterface first() {
            return new NoInterface();
        }

        @Bean
        NoInterface second(@Qualifier("first") NoInterface first) {
            return first;
        }
    }
}
