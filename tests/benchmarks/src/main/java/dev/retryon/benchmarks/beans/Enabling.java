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

/** The annotations with which applications enable a library. An application has one of these classes. */
final class Enabling {

    private Enabling() {}

    @Configuration(proxyBeanMethods = false)
    static class Nothing {}

    @Configuration(proxyBeanMethods = false)
    static class Empty {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor emptyAdvisor() {
            return new DefaultPointcutAdvisor(new AnnotationMatchingPointcut(null, Marked.class), new EmptyAdvice());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods(proxyTargetClass = true)
    static class Resilient {}

    @Configuration(proxyBeanMethods = false)
    @EnableRetry(proxyTargetClass = true)
    static class SpringRetry {}
}
