// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.internal.invocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.retryon.Retry;
import dev.retryon.RetryEngine;
import dev.retryon.RetryEvent;
import dev.retryon.RetryListener;
import dev.retryon.RetryPolicy;
import dev.retryon.durable.autoconfigure.RetryDurableAutoConfiguration;
import dev.retryon.durable.autoconfigure.RetryDurableCoreAutoConfiguration;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class ObservedContextsTests {

    @Test
    void listenersReceiveTheFirstFailureAlsoWhileBeansAreDestroyed() {
        List<RetryEvent> events = new ArrayList<>();

        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        RetryDurableCoreAutoConfiguration.class,
                        RetryAutoConfiguration.class,
                        DataSourceAutoConfiguration.class,
                        RetryDurableAutoConfiguration.class))
                .withBean(RetryListener.class, () -> events::add)
                .withBean(Farewell.class)
                .run(context -> assertThat(context).hasSingleBean(Farewell.class));

        assertThat(events).isNotEmpty();
    }

    static class Farewell implements DisposableBean {

        private final RetryEngine engine;

        Farewell(RetryEngine engine) {
            this.engine = engine;
        }

        @Override
        public void destroy() {
            Retry retry = Retry.builder(
                            "farewell",
                            RetryPolicy.builder().retryOn(IOException.class).build())
                    .engine(engine)
                    .build();
            assertThatThrownBy(() -> retry.call(() -> {
                        throw new IOException("gone");
                    }))
                    .isInstanceOf(IOException.class);
        }
    }
}
