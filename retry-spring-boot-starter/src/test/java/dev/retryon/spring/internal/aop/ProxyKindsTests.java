// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.internal.policy.Applications;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;

/** Classes that can't be extended: Spring decides whether a bean gets another kind of proxy. */
@ExtendWith(OutputCaptureExtension.class)
class ProxyKindsTests {

    private static final String JDK_PROXIES = "spring.aop.proxy-target-class=false";

    private final ApplicationContextRunner runner = Applications.retrying();

    private static void assertFinal(ApplicationContextRunner application) {
        application
                .withPropertyValues(JDK_PROXIES)
                .run(context -> assertThat(Applications.faults(context))
                        .extracting(RetryFault::problem)
                        .singleElement()
                        .asString()
                        .startsWith("the class is final"));
    }

    @ParameterizedTest
    @ValueSource(classes = {FinalClient.class, RecordClient.class, EnumClients.class, SealedClient.class})
    void aBeanThatIsExposedByItsInterfacesIsRetried(Class<?> configuration) {
        runner.withUserConfiguration(configuration).run(context -> {
            assertThat(context).hasNotFailed();
            Client client = context.getBean(Client.class);
            assertThat(AopUtils.isJdkDynamicProxy(client)).isTrue();
            assertThat(client.fetch(new int[1])).isEqualTo(3);
        });
    }

    @Test
    void aBeanThatIsExposedByItsClassCannotBeRetriedIfThatIsFinal() {
        assertFinal(runner.withUserConfiguration(TargetClass.class));
    }

    @Test
    void aTargetSourceIsNotTheRetriedBeanThatItHolds(CapturedOutput output) {
        runner.withBean(HotSwappableTargetSource.class, () -> new HotSwappableTargetSource(new OfSealedBase()))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(output).doesNotContain("RETRYON-W");
                });
    }

    @Test
    void aCallbackOfSpringIsNoInterfaceForAProxy() {
        assertFinal(runner.withBean(OnlyCallbacks.class));
    }

    @Test
    void aSealedInterfaceIsNoInterfaceForAProxy() {
        assertFinal(runner.withBean(FinalOfSealedInterface.class));
    }

    @Test
    void aMethodOfAnInterfaceThatTheProxyLacksIsNotRetried(CapturedOutput output) {
        runner.withUserConfiguration(OneInterface.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output)
                    .contains("RETRYON-W15: " + TwoInterfaces.class.getName()
                            + ".other is not in any interface of the bean, which has a JDK proxy")
                    .doesNotContain("TwoInterfaces.fetch is");
        });
    }

    @Test
    void theClassOfALazyBeanIsKnownWhenItIsCreated() {
        runner.withUserConfiguration(LazyBeans.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(SealedInterface.class).fetch(new int[1])).isEqualTo(3);
            assertThat(context.getBean(SealedBase.class).fetch(new int[1])).isEqualTo(3);
        });
    }

    interface Client {

        @RetryOn(IOException.class)
        int fetch(int[] attempts) throws IOException;
    }

    private static int third(int[] attempts) throws IOException {
        if (++attempts[0] < 3) {
            throw new IOException();
        }
        return attempts[0];
    }

    @Configuration(proxyBeanMethods = false)
    static class FinalClient {

        @Bean
        @Proxyable(ProxyType.INTERFACES)
        Final client() {
            return new Final();
        }
    }

    static final class Final implements Client {

        @Override
        public int fetch(int[] attempts) throws IOException {
            return third(attempts);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class RecordClient {

        @Bean
        @Proxyable(interfaces = Client.class)
        OfRecord client() {
            return new OfRecord("url");
        }
    }

    record OfRecord(String url) implements Client {

        @Override
        public int fetch(int[] attempts) throws IOException {
            return third(attempts);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class EnumClients {

        @Bean
        @Proxyable(ProxyType.INTERFACES)
        OfEnum client() {
            return OfEnum.ONLY;
        }
    }

    enum OfEnum implements Client {
        ONLY {
            @Override
            public int fetch(int[] attempts) throws IOException {
                return third(attempts);
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SealedClient {

        @Bean
        @Proxyable(ProxyType.INTERFACES)
        Sealed client() {
            return new Sealed();
        }
    }

    static sealed class Sealed implements Client permits Unsealed {

        @Override
        public int fetch(int[] attempts) throws IOException {
            return third(attempts);
        }
    }

    static non-sealed class Unsealed extends Sealed {}

    @Configuration(proxyBeanMethods = false)
    static class TargetClass {

        @Bean
        @Proxyable(ProxyType.TARGET_CLASS)
        Final client() {
            return new Final();
        }
    }

    static final class OnlyCallbacks implements InitializingBean {

        @Override
        public void afterPropertiesSet() {}

        @RetryOn(IOException.class)
        public int fetch(int[] attempts) throws IOException {
            return third(attempts);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OneInterface {

        @Bean
        @Proxyable(interfaces = Client.class)
        TwoInterfaces client() {
            return new TwoInterfaces();
        }
    }

    interface Other {

        @RetryOn(IOException.class)
        int other() throws IOException;
    }

    static class TwoInterfaces implements Client, Other {

        @Override
        public int fetch(int[] attempts) throws IOException {
            return third(attempts);
        }

        @Override
        public int other() throws IOException {
            return 0;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyBeans {

        @Bean
        @Lazy
        SealedInterface byInterface() {
            return new OfSealedInterface();
        }

        @Bean
        @Lazy
        SealedBase byClass() {
            return new OfSealedBase();
        }
    }

    sealed interface SealedInterface permits OfSealedInterface, FinalOfSealedInterface {

        @RetryOn(IOException.class)
        int fetch(int[] attempts) throws IOException;
    }

    static non-sealed class OfSealedInterface implements SealedInterface {

        @Override
        public int fetch(int[] attempts) throws IOException {
            return third(attempts);
        }
    }

    static final class FinalOfSealedInterface implements SealedInterface {

        @Override
        public int fetch(int[] attempts) {
            return ++attempts[0];
        }
    }

    abstract static sealed class SealedBase permits OfSealedBase {

        @RetryOn(IOException.class)
        public abstract int fetch(int[] attempts) throws IOException;
    }

    static non-sealed class OfSealedBase extends SealedBase {

        @Override
        public int fetch(int[] attempts) throws IOException {
            return third(attempts);
        }
    }
}
