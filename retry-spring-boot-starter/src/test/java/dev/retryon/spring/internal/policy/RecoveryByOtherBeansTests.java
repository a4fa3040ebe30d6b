// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;

/** {@code recover = "bean#method"}, and recovery methods that can't be one. */
class RecoveryByOtherBeansTests {

    private final ApplicationContextRunner runner = Applications.retrying()
            .withBean("backup", Backup.class)
            .withPropertyValues("spring.aop.proxy-target-class=false");

    @ParameterizedTest
    @ValueSource(classes = {ByInterface.class, ByClass.class, ByPrivate.class})
    void servesThroughWhateverProxyTheOtherBeanHas(Class<? extends Charging> beanClass) {
        // The other bean has a JDK proxy, on which only the methods of its interface can be called.
        runner.withBean(beanClass).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Charging.class).charge("a")).isEqualTo("backup of a");
        });
    }

    @Test
    void servesWithAClassProxyToo() {
        runner.withBean(ByPrivate.class)
                .withPropertyValues("spring.aop.proxy-target-class=true")
                .run(context ->
                        assertThat(context.getBean(Charging.class).charge("a")).isEqualTo("backup of a"));
    }

    @Test
    void aPrivateMethodServesBehindAScopedProxy() {
        Applications.retrying()
                .withUserConfiguration(ScopedBackup.class)
                .withBean(ByPrivate.class)
                .run(context ->
                        assertThat(context.getBean(Charging.class).charge("a")).isEqualTo("backup of a"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void aRecoveryOfAnotherBeanIsNotRetriedEither(String proxyTargetClass) {
        runner.withBean(ByRetried.class)
                .withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
                .run(context -> {
                    assertThatThrownBy(() -> context.getBean(Charging.class).charge("a"))
                            .hasMessage("backup is down too");
                    assertThat(context.getBean(Standby.class).calls()).isEqualTo(1);
                    assertThatThrownBy(() -> context.getBean(Standby.class).retried("a", new IOException()))
                            .as("called by others it is")
                            .hasMessage("backup is down too");
                    assertThat(context.getBean(Standby.class).calls()).isEqualTo(4); // 1 + 3
                });
    }

    @Test
    void mayBeABeanThatIsNotMadeYet() {
        Applications.retrying()
                .withBean("backup", Backup.class, Backup::new, definition -> definition.setLazyInit(true))
                .withBean(ByClass.class)
                .run(context -> {
                    assertThat(context.getBeanFactory().containsSingleton("backup"))
                            .isFalse();
                    assertThat(context.getBean(Charging.class).charge("a")).isEqualTo("backup of a");
                });
    }

    static Stream<Arguments> isCheckedAtStartUp() {
        return Stream.of(
                arguments("nobody", "method 'nobody' does not exist in the bean (for " + Misfits.class.getName()),
                arguments("nobody#instead", "no bean is named 'nobody'"),
                arguments("backup#nobody", "method 'nobody' does not exist in " + Backup.class.getName()),
                arguments("otherType", "otherType(Exception) returns Integer, not String"),
                arguments("returnsNothing", "returnsNothing(Exception) returns void, not String"),
                arguments("otherArgument", "takes Integer where the argument is String"),
                arguments("tooMany", "takes 2 of the 1 arguments"),
                arguments("errorFirst", "errorFirst(Exception, String) takes the error before the arguments"),
                arguments("charge", "method 'charge' does not exist in the bean, except for the retried method itself"),
                arguments("#instead", "bean"),
                arguments("backup#", "method"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void isCheckedAtStartUp(String recover, String problem) {
        runner.withBean(Misfits.class)
                .withPropertyValues("retryon.methods.[" + Misfits.class.getName() + "].recover=" + recover)
                .run(context -> assertThat(Applications.faults(context))
                        .singleElement()
                        .extracting(RetryFault::toString)
                        .asString()
                        .startsWith("retryon.methods[" + Misfits.class.getName() + "].recover: recover is '" + recover
                                + "', but ")
                        .contains(problem));
    }

    interface Charging {

        String charge(String order) throws IOException;
    }

    interface Standby {

        String instead(String order, IOException error);

        String retried(String order, IOException error) throws IOException;

        int calls();
    }

    @Configuration(proxyBeanMethods = false)
    static class ScopedBackup {

        @Bean
        @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Backup backup() {
            return new Backup();
        }
    }

    static class Backup implements Standby {

        private int calls;

        @Override
        public String instead(String order, IOException error) {
            return "backup of " + order;
        }

        @Override
        @RetryOn(IOException.class)
        public String retried(String order, IOException error) throws IOException {
            calls++;
            throw new IOException("backup is down too");
        }

        @Override
        public int calls() {
            return calls;
        }

        String ofTheClass(String order, IOException error) {
            return instead(order, error);
        }

        @SuppressWarnings("UnusedMethod")
        private String hidden(String order, IOException error) {
            return instead(order, error);
        }
    }

    static class ByInterface implements Charging {

        @Override
        @RetryOn(value = IOException.class, recover = "backup#instead")
        public String charge(String order) throws IOException {
            throw new IOException();
        }
    }

    static class ByClass implements Charging {

        @Override
        @RetryOn(value = IOException.class, recover = "backup#ofTheClass")
        public String charge(String order) throws IOException {
            throw new IOException();
        }
    }

    static class ByPrivate implements Charging {

        @Override
        @RetryOn(value = IOException.class, recover = "backup#hidden")
        public String charge(String order) throws IOException {
            throw new IOException();
        }
    }

    static class ByRetried implements Charging {

        @Override
        @RetryOn(value = IOException.class, recover = "backup#retried")
        public String charge(String order) throws IOException {
            throw new IOException();
        }
    }

    static class Misfits {

        @RetryOn(IOException.class)
        public String charge(String order) throws IOException {
            throw new IOException();
        }

        Integer otherType(Exception error) {
            return 1;
        }

        void returnsNothing(Exception error) {}

        String otherArgument(Integer order, Exception error) {
            return "";
        }

        String tooMany(String order, String another, Exception error) {
            return "";
        }

        String errorFirst(Exception error, String order) {
            return "";
        }
    }
}
