// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.CallState;
import dev.retryon.ErrorText;
import dev.retryon.Retry;
import dev.retryon.RetryContext;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import dev.retryon.spring.module.MethodsCheck;
import dev.retryon.spring.module.RetriedMethod;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Attempts of stored calls, through the proxies of the beans. */
class StoredMethodsTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class, RetryDurableCoreAutoConfiguration.class, RetryAutoConfiguration.class));

    private static final CallState AFTER_TWO = new CallState(
            "the-id",
            2,
            Duration.ofMillis(1),
            Instant.now(),
            List.of(),
            new ErrorText("java.io.IOException", "down"),
            Instant.now(),
            null);

    private static UnaryOperator<Retry> resumption() {
        return retry -> retry.resume(AFTER_TWO, Duration.ZERO, () -> true);
    }

    private static void goOn(ApplicationContext context, String key, Object... arguments) throws Throwable {
        StoredMethods stored = context.getBean(StoredMethods.class);
        RetriedMethod method = stored.find(key);
        assertThat(method).isNotNull();
        Object bean = stored.bean(method, null);
        assertThat(bean).isNotNull();
        stored.call(method, bean, arguments, resumption(), resumption());
    }

    private static String key(Class<?> type, String method) {
        return type.getName() + "#" + method;
    }

    @Test
    void goesOnWithItsNumberThroughTheProxy() {
        application.withUserConfiguration(Around.class).withBean(Invoices.class).run(context -> {
            goOn(context, key(Invoices.class, "send(java.lang.String)"), "17");

            assertThat(context.getBean(Invoices.class).seen()).containsExactly("17 the-id 3");
            assertThat(context.getBean(Around.class).passed).containsExactly("send");
        });
    }

    @Test
    void onlyTheNextCallOfTheMethodIsMeant() {
        application.withBean(Invoices.class).withBean(Batch.class).run(context -> {
            goOn(context, key(Batch.class, "run()"));

            assertThat(context.getBean(Batch.class).seen()).containsExactly("the-id 3");
            // Nested calls are calls of their own.
            assertThat(context.getBean(Invoices.class).seen())
                    .hasSize(1)
                    .allMatch(call -> call.endsWith(" 1") && !call.contains("the-id"));
        });
    }

    @Test
    void callsOnTheWayToTheMethodAreNotMeant() {
        application
                .withUserConfiguration(CallsBefore.class)
                .withBean(Invoices.class)
                .withBean(Batch.class)
                .run(context -> {
                    goOn(context, key(Batch.class, "run()"));

                    assertThat(context.getBean(Batch.class).seen()).containsExactly("the-id 3");
                });
    }

    @Test
    void whatTheCallThrowsIsThrownAndLaterCallsAreNew() {
        application.withBean(Failing.class).run(context -> {
            assertThatThrownBy(() -> goOn(context, key(Failing.class, "fail()")))
                    .isInstanceOf(IOException.class)
                    .hasMessage("3");
            assertThatThrownBy(() -> context.getBean(Failing.class).fail()).hasMessage("1");
        });
    }

    @Test
    void aFutureGoesOnToo() {
        application.withBean(Later.class).run(context -> {
            goOn(context, key(Later.class, "number()"));

            assertThat(context.getBean(Later.class).seen()).containsExactly(3);
        });
    }

    @Test
    void aCallThatAdviceEndsBeforeIsReported() {
        application
                .withUserConfiguration(Cached.class)
                .withBean(Invoices.class)
                .run(context -> assertThatThrownBy(
                                () -> goOn(context, key(Invoices.class, "send(java.lang.String)"), "17"))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("did not reach RetryOn")
                        .hasNoCause());
    }

    @Test
    void aCallThatAdviceRefusesIsReportedWithTheError() {
        application
                .withUserConfiguration(Denying.class)
                .withBean(Invoices.class)
                .run(context -> assertThatThrownBy(
                                () -> goOn(context, key(Invoices.class, "send(java.lang.String)"), "17"))
                        .isInstanceOf(SecurityException.class)
                        .hasMessage("denied"));
    }

    /** As in AspectJ mode, in which the advice is in the target. */
    @Test
    void aMethodThatIsOnNoInterfaceOfItsProxyRunsOnTheTarget() {
        application.withBean(Invoices.class).run(context -> {
            StoredMethods stored = context.getBean(StoredMethods.class);
            RetriedMethod method = stored.find(key(Invoices.class, "send(java.lang.String)"));
            ProxyFactory proxies =
                    new ProxyFactory(Runnable.class, new SingletonTargetSource(context.getBean(Invoices.class)));

            stored.call(method, proxies.getProxy(), new Object[] {"17"}, resumption(), resumption());

            assertThat(context.getBean(Invoices.class).seen()).containsExactly("17 the-id 3");
        });
    }

    @Test
    void aMethodOfAGenericInterfaceRunsThroughItsProxy() {
        application
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .withUserConfiguration(Around.class)
                .withBean(Texts.class)
                .run(context -> {
                    goOn(context, key(Texts.class, "send(java.lang.String)"), "17");

                    assertThat(context.getBean(Around.class).passed).containsExactly("send");
                });
    }

    interface Sender<T> {

        void send(T it);
    }

    static class Texts implements Sender<String> {

        @Override
        @RetryOn(IOException.class)
        public void send(String it) {}
    }

    @Test
    void tellsBeansOfOneClassApart() {
        application
                .withBean("one", Invoices.class)
                .withBean("other", Invoices.class)
                .run(context -> {
                    StoredMethods stored = context.getBean(StoredMethods.class);
                    RetriedMethod method = stored.find(key(Invoices.class, "send(java.lang.String)"));
                    Object other = context.getBean("other");
                    Object target = AopProxyUtils.getSingletonTarget(other);

                    assertThat(stored.beanName(Invoices.class, target)).isEqualTo("other");
                    assertThat(stored.beanName(Invoices.class, new Invoices())).isNull();
                    assertThat(stored.bean(method, "other")).isSameAs(other);
                    assertThat(stored.bean(method, null)).isNull();
                    assertThat(stored.bean(method, "gone")).isNull();
                });
    }

    @Test
    void findsTheBeanThatWasRenamed() {
        application.withBean("invoices", Invoices.class).run(context -> {
            StoredMethods stored = context.getBean(StoredMethods.class);
            RetriedMethod method = stored.find(key(Invoices.class, "send(java.lang.String)"));

            assertThat(stored.bean(method, "formerName")).isSameAs(context.getBean("invoices"));
            assertThat(stored.find("com.acme.Gone#gone()")).isNull();
        });
    }

    @Test
    void checksSeeAllMethodsBeforeTheStartEnds() {
        List<String> seen = new ArrayList<>();
        application
                .withBean(Invoices.class)
                .withBean(Batch.class)
                .withBean(MethodsCheck.class, () -> (methods, faults) -> {
                    methods.forEach(method -> seen.add(method.name()));
                    faults.add("retryon.anything", "is wrong");
                })
                .run(context -> {
                    assertThat(context).getFailure().hasMessageContaining("retryon.anything: is wrong");
                    assertThat(seen).containsExactlyInAnyOrder("Invoices.send", "Batch.run");
                });
    }

    static class Invoices {

        private final List<String> seen = new ArrayList<>();

        List<String> seen() {
            return seen;
        }

        @RetryOn(IOException.class)
        void send(String id) {
            RetryContext call = RetryContext.current();
            seen.add(id + " " + call.callId() + " " + call.attempt());
        }
    }

    static class Batch {

        private final List<String> seen = new ArrayList<>();

        private final Invoices invoices;

        Batch(Invoices invoices) {
            this.invoices = invoices;
        }

        List<String> seen() {
            return seen;
        }

        @RetryOn(IOException.class)
        public void run() {
            RetryContext call = RetryContext.current();
            seen.add(call.callId() + " " + call.attempt());
            invoices.send("nested");
        }
    }

    static class Failing {

        @RetryOn(value = IOException.class, maxAttempts = 1)
        public void fail() throws IOException {
            throw new IOException(String.valueOf(RetryContext.current().attempt()));
        }
    }

    static class Later {

        private final List<Integer> seen = new ArrayList<>();

        @RetryOn(IOException.class)
        public CompletableFuture<Integer> number() {
            seen.add(RetryContext.current().attempt());
            return CompletableFuture.completedFuture(17);
        }

        List<Integer> seen() {
            return seen;
        }
    }

    private static DefaultPointcutAdvisor outside(MethodInterceptor advice, String... methods) {
        NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
        pointcut.setMappedNames(methods);
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(pointcut, advice);
        advisor.setOrder(0);
        return advisor;
    }

    @Configuration(proxyBeanMethods = false)
    static class Around {

        private final List<String> passed = new ArrayList<>();

        @Bean
        DefaultPointcutAdvisor around() {
            return outside(
                    invocation -> {
                        passed.add(invocation.getMethod().getName());
                        return invocation.proceed();
                    },
                    "send");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class CallsBefore {

        @Bean
        DefaultPointcutAdvisor callsBefore(ObjectProvider<Invoices> invoices) {
            return outside(
                    invocation -> {
                        invoices.getObject().send("before");
                        return invocation.proceed();
                    },
                    "run");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Cached {

        @Bean
        DefaultPointcutAdvisor cached() {
            return outside(invocation -> null, "send");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Denying {

        @Bean
        DefaultPointcutAdvisor denying() {
            return outside(
                    invocation -> {
                        throw new SecurityException("denied");
                    },
                    "send");
        }
    }
}
