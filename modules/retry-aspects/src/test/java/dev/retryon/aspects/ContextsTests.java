// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.retryon.spring.RetryOn;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.ConfigurableApplicationContext;

/** Beans of a context in AspectJ mode, beside contexts in other modes. */
@Tag("slow")
class ContextsTests {

    @Test
    void aBeanOfAContextInProxyModeIsNotRetriedByAnotherContext() {
        try (ConfigurableApplicationContext woven = AspectsModule.start(Shop.class);
                ConfigurableApplicationContext proxies =
                        AspectsModule.run("proxy", Client.class).start()) {
            assertThat(attempts(proxies)).isEqualTo(3); // not 9 = 3 of the proxy, each with 3 of the other context
        }
    }

    @Test
    void aBeanOfAContextWithoutRetriesIsNotRetriedByAnotherContext() {
        try (ConfigurableApplicationContext woven = AspectsModule.start(Client.class);
                ConfigurableApplicationContext disabled =
                        AspectsModule.run("aspectj", Client.class).start("--retryon.enabled=false")) {
            assertThat(attempts(disabled)).isEqualTo(1);
            assertThat(attempts(woven)).isEqualTo(3);
        }
    }

    @Test
    void anObjectThatIsNoBeanIsRetriedByTheContextInAspectJMode() {
        try (ConfigurableApplicationContext woven = AspectsModule.start(Shop.class);
                ConfigurableApplicationContext proxies =
                        AspectsModule.run("proxy", NotWovenClient.class).start()) {
            assertThat(attempts(new Client())).isEqualTo(3);
        }
    }

    @Test
    void aFactoryBeanCreatesItsObjectOnce() {
        try (ConfigurableApplicationContext context = AspectsModule.start(ClientFactory.class)) {
            assertThat(attempts(context)).isEqualTo(3);
        }
    }

    @Test
    void theProductOfAFactoryBeanBelongsToItsContext() {
        try (ConfigurableApplicationContext context = limited(2, ClientFactory.class);
                ConfigurableApplicationContext later = limited(4, ClientFactory.class)) {
            assertThat(attempts(context)).isEqualTo(2);
            assertThat(attempts(later)).isEqualTo(4);
        }
    }

    @Test
    void aRegisteredSingletonBelongsToItsContext() {
        try (ConfigurableApplicationContext context = limited(2, Shop.class);
                ConfigurableApplicationContext later = limited(4, Client.class)) {
            context.getBeanFactory().registerSingleton("registered", new Client());
            assertThat(attempts(context)).isEqualTo(2);
            assertThat(attempts(later)).isEqualTo(4);
        }
    }

    private static ConfigurableApplicationContext limited(int maxAttempts, Class<?> bean) {
        return AspectsModule.run("aspectj", bean).start("--retryon.defaults.max-attempts=" + maxAttempts);
    }

    private static int attempts(ConfigurableApplicationContext context) {
        return attempts(context.getBean(Client.class));
    }

    private static int attempts(Client client) {
        assertThatExceptionOfType(IOException.class).isThrownBy(client::load);
        return client.asked();
    }

    static class Client {

        private final Partner partner = new Partner();

        @RetryOn(IOException.class)
        public void load() throws IOException {
            partner.fetch("never");
        }

        int asked() {
            return partner.attempts("never");
        }
    }

    static class ClientFactory implements FactoryBean<Client> {

        @Override
        public Client getObject() {
            return new Client();
        }

        @Override
        public Class<?> getObjectType() {
            return Client.class;
        }
    }
}
