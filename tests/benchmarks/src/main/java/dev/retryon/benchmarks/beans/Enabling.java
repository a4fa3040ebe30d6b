// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.beans;

import dev.retryon.benchmarks.proxy.EmptyAdvice;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.retry.annotation.EnableRetry;

/** What applications need beside the annotations. An application has one of these. */
final class Enabling {

    private Enabling() {}

    /** Nothing: the library configures itself. */
    @Configuration(proxyBeanMethods = false)
    static class Nothing {}

    /** The empty advice. */
    @Configuration(proxyBeanMethods = false)
    static class Empty {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor emptyAdvisor() {
            return new DefaultPointcutAdvisor(new AnnotationMatchingPointcut(null, Marked.class), new EmptyAdvice());
        }
    }

    /** Spring Framework's own annotation. */
    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods(proxyTargetClass = true)
    static class Resilient {}

    /** The spring-retry library. */
    @Configuration(proxyBeanMethods = false)
    @EnableRetry(proxyTargetClass = true)
    static class SpringRetry {}
}
