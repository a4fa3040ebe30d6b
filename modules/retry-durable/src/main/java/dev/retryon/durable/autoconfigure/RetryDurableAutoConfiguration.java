// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import dev.retryon.durable.StoredCalls;
import dev.retryon.durable.internal.call.DefaultStoredCalls;
import dev.retryon.durable.internal.call.DurableCalls;
import dev.retryon.durable.internal.call.DurableLifecycle;
import dev.retryon.durable.internal.engine.CallEngine;
import dev.retryon.durable.internal.letter.DeadLetterOffice;
import dev.retryon.spring.module.RetriedMethods;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.info.GitProperties;
import org.springframework.boot.info.InfoProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;
import tools.jackson.databind.json.JsonMapper;

/**
 * Auto-configuration of durable calls, which survive the end of the process. The beans are created when a
 * method needs them.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = {RetryStoreAutoConfiguration.class, RetryDeadLetterAutoConfiguration.class})
@ConditionalOnClass(JsonMapper.class)
@ConditionalOnBean(name = "retryOnSurroundings", value = CallEngine.class, search = SearchStrategy.CURRENT)
public final class RetryDurableAutoConfiguration {

    /** Creates the auto-configuration. */
    public RetryDurableAutoConfiguration() {}

    @Bean
    @Lazy
    DurableCalls retryOnDurableCalls(
            ConfigurableListableBeanFactory beanFactory,
            ObjectProvider<CallEngine> engine,
            DeadLetterOffice.Parts retryOnDeadLetterParts,
            RetryDurableProperties retryOnDurableProperties,
            RetryDeadLetterProperties retryOnDeadLetterProperties,
            ObjectProvider<InfoProperties> build,
            Environment environment,
            ObjectProvider<DurableLifecycle> lifecycle) {
        // Builds of one version may differ.
        String version = Stream.concat(
                        Stream.of(environment.getProperty("spring.application.version", "")),
                        build.orderedStream().flatMap(RetryDurableAutoConfiguration::values))
                .collect(Collectors.joining(" "));
        return new DurableCalls(
                engine::getObject,
                retryOnDeadLetterParts,
                retryOnDurableProperties.toSettings(
                        retryOnDeadLetterProperties.maxArgumentsSize(), version, shownVersion(environment, build)),
                () -> lifecycle.getObject().need(),
                () -> RetriedMethods.engineOf(beanFactory).isClosed());
    }

    /** Returns the version of the application, with the commit if it is known. */
    private static String shownVersion(Environment environment, ObjectProvider<InfoProperties> build) {
        List<InfoProperties> known = build.orderedStream().toList();
        Stream<String> version = Stream.concat(
                        Stream.of(environment.getProperty("spring.application.version", "")),
                        known.stream().map(properties -> properties.get("version")))
                .filter(StringUtils::hasText)
                .limit(1);
        Stream<String> commit = known.stream()
                .filter(GitProperties.class::isInstance)
                .map(properties -> ((GitProperties) properties).getShortCommitId())
                .filter(StringUtils::hasText);
        return Stream.concat(version, commit).collect(Collectors.joining(" "));
    }

    private static Stream<String> values(InfoProperties properties) {
        return StreamSupport.stream(properties.spliterator(), false)
                .map(InfoProperties.Entry::getValue)
                .sorted();
    }

    @Bean
    @Lazy
    @ConditionalOnMissingBean(value = StoredCalls.class, search = SearchStrategy.CURRENT)
    StoredCalls retryOnStoredCalls(ObjectProvider<DurableCalls> calls) {
        return new DefaultStoredCalls(calls::getObject);
    }

    @Bean(RetryDeadLetterAutoConfiguration.LIFECYCLE)
    DurableLifecycle retryOnDurableLifecycle(
            ObjectProvider<DurableCalls> calls,
            ConfigurableListableBeanFactory beanFactory,
            RetryDurableProperties retryOnDurableProperties) {
        return new DurableLifecycle(
                calls::getObject,
                () -> RetriedMethods.engineOf(beanFactory),
                retryOnDurableProperties.pollInterval(),
                retryOnDurableProperties.heartbeatInterval(),
                retryOnDurableProperties.toLanes().runsCalls());
    }
}
