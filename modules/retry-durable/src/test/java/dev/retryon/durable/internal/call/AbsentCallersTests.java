// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.call;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.ON_FAILURE;
import static dev.retryon.durable.DurableMode.OUTBOX;
import static dev.retryon.durable.internal.call.DurableTrial.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.durable.Durable;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryOn;
import jakarta.annotation.security.PermitAll;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.ObjectFactory;
import org.springframework.beans.factory.config.Scope;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.security.access.expression.method.DefaultMethodSecurityExpressionHandler;
import org.springframework.security.access.expression.method.MethodSecurityExpressionHandler;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.AuthenticationCredentialsNotFoundException;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.AuthorizationManager;
import org.springframework.security.authorization.AuthorizationManagerFactory;
import org.springframework.security.authorization.method.AuthorizationManagerBeforeMethodInterceptor;
import org.springframework.security.config.ObjectPostProcessor;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.RequestScope;

/** A worker has neither the authentication nor the request of the caller. */
class AbsentCallersTests {

    @TempDir
    private Path folder;

    private ApplicationContextRunner application() {
        return DurableTrial.embedded(folder).withPropertyValues("retryon.durable.threads=1");
    }

    private static ApplicationContextRunner withScope(ApplicationContextRunner application, Scope scope) {
        return application.withInitializer(
                context -> context.getBeanFactory().registerScope(WebApplicationContext.SCOPE_REQUEST, scope));
    }

    @AfterEach
    void clear() {
        SecurityContextHolder.clearContext();
    }

    @ParameterizedTest
    @ValueSource(classes = {Outbox.class, OfClass.class, Negated.class})
    void aMethodThatAWorkerCannotAuthorizeIsAFault(Class<?> bean) {
        application()
                .withUserConfiguration(Security.class)
                .withBean(bean)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(RetryConfigurationException.class)
                        .hasMessageContaining("method send has @PreAuthorize(\"")
                        .hasMessageContaining(
                                ", but a worker has no authentication, so each stored call would be denied; put the"
                                        + " annotation on the method that calls it"));
    }

    @ParameterizedTest
    @ValueSource(classes = {Permitted.class, OfArgument.class, Dead.class, Perhaps.class})
    void aMethodThatAWorkerMayAuthorizeIsNoFault(Class<?> bean) {
        application()
                .withUserConfiguration(Security.class)
                .withBean(bean)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aMethodWithoutMethodSecurityIsNoFault() {
        application().withBean(Outbox.class).run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aMethodThatOtherAdviceMayAuthenticateIsNoFault() {
        application()
                .withUserConfiguration(Security.class, AsSystem.class)
                .withBean(Outbox.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    context.getBean(Outbox.class).send();

                    await().until(() -> DurableTrial.stored(context) == 0);
                    assertThat(DurableTrial.deadLetters(context)).isEmpty();
                });
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                OwnManager.class,
                OwnFactory.class,
                OwnPostProcessor.class,
                OtherAnnotations.class,
            })
    void aMethodThatTheApplicationMayAuthorizeOnAWorkerIsNoFault(Class<?> configuration) {
        application().withUserConfiguration(configuration).withBean(Later.class).run(context -> {
            assertThat(context).hasNotFailed();
            SecurityContextHolder.getContext()
                    .setAuthentication(new TestingAuthenticationToken("ann", "", "ROLE_MAIL"));
            context.getBean(Later.class).send();

            await().until(() -> DurableTrial.stored(context) == 0);
            assertThat(DurableTrial.deadLetters(context)).isEmpty();
        });
    }

    @Test
    void aMethodThatTheParentOfTheContextMayAuthorizeIsNoFault() {
        new ApplicationContextRunner()
                .withUserConfiguration(OfParent.class)
                .run(parent -> application()
                        .withParent(parent)
                        .withUserConfiguration(Security.class)
                        .withBean(Later.class)
                        .run(context -> assertThat(context).hasNotFailed()));
    }

    @Test
    void aCallThatAdviceDeniesOnAWorkerDiesWithItsCause() {
        application()
                .withUserConfiguration(Security.class)
                .withBean(Perhaps.class)
                .run(context -> {
                    SecurityContextHolder.getContext()
                            .setAuthentication(new TestingAuthenticationToken("ann", "", "ROLE_MAIL"));
                    context.getBean(Perhaps.class).send("a");

                    await().until(() -> DurableTrial.stored(context) == 0);
                    assertThat(DurableTrial.deadLetters(context))
                            .singleElement()
                            .satisfies(letter -> assertThat(letter.errorType())
                                    .isEqualTo(AuthenticationCredentialsNotFoundException.class.getName()))
                            .extracting(DeadLetter::errorMessage)
                            .asString()
                            .contains("Authentication");
                });
    }

    @Test
    void aBeanOfARequestIsAFault() {
        withScope(application(), new RequestScope())
                .withUserConfiguration(OfRequest.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOf(RetryConfigurationException.class)
                        .hasMessageContaining(
                                "Basket.send: durable.mode is 'on-failure', but its bean has the scope 'request',"
                                        + " which a worker does not have; move the method to a singleton bean, and"
                                        + " pass the data that it needs as arguments"));
    }

    @ParameterizedTest
    @MethodSource("scopesOfWorkers")
    void aScopeThatAWorkerHasIsNoFault(Scope scope) {
        withScope(application(), scope)
                .withUserConfiguration(OfRequest.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    static Stream<Scope> scopesOfWorkers() {
        Scope withoutRequest = new SimpleThreadScope();
        return Stream.of(withoutRequest, new RequestScope() {

            @Override
            public Object get(String name, ObjectFactory<?> factory) {
                return RequestContextHolder.getRequestAttributes() == null
                        ? withoutRequest.get(name, factory)
                        : super.get(name, factory);
            }
        });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity
    static class Security {}

    private static AuthorizationManager<MethodInvocation> permitAll() {
        return (authentication, call) -> new AuthorizationDecision(true);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity(prePostEnabled = false)
    static class OwnManager {

        @Bean
        static Advisor policyAgent() {
            return AuthorizationManagerBeforeMethodInterceptor.preAuthorize(permitAll());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity
    static class OwnFactory {

        @Bean
        static AuthorizationManagerFactory<MethodInvocation> tolerant() {
            return new AuthorizationManagerFactory<>() {

                @Override
                public AuthorizationManager<MethodInvocation> hasRole(String role) {
                    return AbsentCallersTests.permitAll();
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity
    static class OwnPostProcessor {

        @Bean
        @Primary
        static ObjectPostProcessor<AuthorizationManager<MethodInvocation>> tolerant() {
            return new ObjectPostProcessor<>() {

                @Override
                @SuppressWarnings("unchecked")
                public <O extends AuthorizationManager<MethodInvocation>> O postProcess(O manager) {
                    return (O) permitAll();
                }
            };
        }
    }

    /** {@code @PreAuthorize} has no effect. */
    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity(prePostEnabled = false, jsr250Enabled = true)
    static class OtherAnnotations {}

    @Configuration(proxyBeanMethods = false)
    static class OfParent {

        @Bean
        static MethodSecurityExpressionHandler tolerant() {
            return new DefaultMethodSecurityExpressionHandler();
        }
    }

    static class Later {

        private int attempts;

        @PermitAll
        @PreAuthorize("hasRole('MAIL')")
        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void send() throws IOException {
            attempts++;
            if (attempts == 1) {
                throw new IOException("down");
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AsSystem {

        @Bean
        DefaultPointcutAdvisor asSystem() {
            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
            pointcut.setMappedNames("send");
            MethodInterceptor advice = invocation -> {
                SecurityContextHolder.getContext()
                        .setAuthentication(new TestingAuthenticationToken("system", "", "ROLE_MAIL"));
                try {
                    return invocation.proceed();
                } finally {
                    SecurityContextHolder.clearContext();
                }
            };
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(pointcut, advice);
            advisor.setOrder(Integer.MIN_VALUE);
            return advisor;
        }
    }

    static class Outbox {

        @PreAuthorize("hasRole('MAIL') and #root != null")
        @RetryOn(IOException.class)
        @Durable(OUTBOX)
        public void send() {}
    }

    @PreAuthorize("authentication.name == 'ann'")
    static class OfClass {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void send() {}
    }

    static class Negated {

        @PreAuthorize("!isAnonymous()")
        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void send() {}
    }

    static class Permitted {

        @PreAuthorize("permitAll")
        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void send() {}
    }

    static class OfArgument {

        @PreAuthorize("#text != null or hasRole('MAIL')")
        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void send(String text) {}
    }

    static class Dead {

        @PreAuthorize("hasRole('MAIL')")
        @RetryOn(IOException.class)
        @Durable(ON_EXHAUSTION)
        public void send() {}
    }

    static class Perhaps {

        @PreAuthorize("#text == null or hasRole('MAIL')")
        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void send(String text) throws IOException {
            throw new IOException("down");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OfRequest {

        @Bean
        @org.springframework.context.annotation.Scope(
                value = WebApplicationContext.SCOPE_REQUEST,
                proxyMode = ScopedProxyMode.TARGET_CLASS)
        Basket basket() {
            return new Basket();
        }
    }

    static class Basket {

        @RetryOn(IOException.class)
        @Durable(ON_FAILURE)
        public void send() {}
    }
}
