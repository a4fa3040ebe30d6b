// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Registers an auto-proxy creator, as {@code @EnableTransactionManagement} does, because an advisor alone has no effect if
 * AspectJ auto-proxying is off.
 */
final class RetryAutoProxyRegistrar implements ImportBeanDefinitionRegistrar {

    private final Environment environment;

    RetryAutoProxyRegistrar(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
        UnsupportedBootException.throwIfTooOld(SpringBootVersion.getVersion());
        // Injection points have this name.
        registry.registerAlias(RetryProperties.BEAN, "retryOnProperties");
        AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        if (environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true)) {
            AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
        }
    }
}
