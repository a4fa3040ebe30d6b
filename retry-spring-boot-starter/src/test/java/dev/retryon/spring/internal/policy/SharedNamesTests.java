// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/** Names that several methods have: one line is logged where nobody can have meant it. */
@ExtendWith(OutputCaptureExtension.class)
class SharedNamesTests {

    private final CapturedOutput output;

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class));

    SharedNamesTests(CapturedOutput output) {
        this.output = output;
    }

    private List<String> warnings(ApplicationContextRunner application) {
        application.run(context -> assertThat(context).hasNotFailed());
        return Arrays.stream(output.getAll().split("\\R"))
                .filter(line -> line.matches(".*WARN .*\\bdev\\.retryon\\.startup +(:|-+) RETRYON-W\\d\\d: .*"))
                .map(line -> line.replaceFirst("^.*? dev\\.retryon\\.startup +(:|-+) RETRYON-W\\d\\d: ", "")
                        .replace(SharedNamesTests.class.getName() + "$", ""))
                .toList();
    }

    @Test
    void classesOfOneSimpleName() {
        assertThat(warnings(runner.withBean(Cash.class).withBean(Other.Cash.class)))
                .singleElement()
                .asString()
                .contains("Cash and Other$Cash share the name 'Cash.refund'");
    }

    @Test
    void nothingAboutANameThatSeveralMethodsAreGiven() {
        assertThat(warnings(runner.withBean(Named.class)
                        .withBean(NamedToo.class)
                        .withBean(Cards.class)
                        .withBean(Cash.class)))
                .isEmpty();
    }

    @Test
    void nothingAboutANameThatIsSaidOnceOrOfOverloads() {
        assertThat(warnings(runner.withBean(NamedAsAWhole.class)
                        .withBean(NamedOverloads.class)
                        .withBean(NamedOverride.class)
                        .withBean(NamedByAnAnnotation.class)))
                .isEmpty();
    }

    @Test
    void nothingAboutImplementationsOfOneMethod() {
        assertThat(warnings(
                        runner.withBean(Visa.class).withBean(Amex.class).withBean("jdkProxy", Payments.class, () -> {
                            ProxyFactory proxy = new ProxyFactory(new Visa());
                            proxy.setInterfaces(Payments.class);
                            return (Payments) proxy.getProxy();
                        })))
                .isEmpty();
    }

    @Test
    void nothingAboutSeveralBeansOfAClass() {
        assertThat(warnings(runner.withBean("one", Named.Once.class)
                        .withBean("other", Named.Once.class)
                        .withBean("lazy", Named.Once.class, Named.Once::new, definition -> definition.setLazyInit(true))
                        .withBean(
                                "prototype",
                                Named.Once.class,
                                Named.Once::new,
                                definition -> definition.setScope("prototype"))
                        .withInitializer(application -> application.addApplicationListener(
                                (ApplicationListener<ContextRefreshedEvent>) ready -> {
                                    ready.getApplicationContext().getBean("lazy");
                                    ready.getApplicationContext().getBean("prototype");
                                    ready.getApplicationContext().getBean("prototype");
                                }))))
                .isEmpty();
    }

    @Test
    void nothingAboutAContextAndItsParent() {
        ApplicationContextRunner named = runner.withBean(Named.Once.class);
        named.run(parent -> assertThat(warnings(named.withParent(parent))).isEmpty());
    }

    static class Cards {

        @RetryOn(value = IOException.class, name = "pay")
        public void pay() {}
    }

    static class Cash {

        @RetryOn(value = IOException.class, name = "pay")
        public void pay() {}

        @RetryOn(IOException.class)
        public void refund() {}
    }

    static class Other {

        static class Cash {

            @RetryOn(IOException.class)
            public void refund() {}
        }
    }

    interface Payments {

        @RetryOn(value = IOException.class, name = "charge")
        void charge();
    }

    static class Visa implements Payments {

        @Override
        public void charge() {}
    }

    static class Amex implements Payments {

        @Override
        @RetryOn(value = IOException.class, name = "charge")
        public void charge() {}
    }

    static class Named {

        @RetryOn(value = IOException.class, name = "payments")
        public void charge() {}

        @RetryOn(value = IOException.class, name = "payments")
        public void refund() {}

        @RetryOn(IOException.class)
        public void send() {}

        static class Once {

            @RetryOn(value = IOException.class, name = "once")
            public void charge() {}
        }
    }

    static class NamedToo {

        @RetryOn(value = IOException.class, name = "Named.send")
        public void receive() {}
    }

    @RetryOn(value = IOException.class, name = "whole")
    static class NamedAsAWhole {

        public void charge() {}

        public void refund() {}
    }

    static class NamedOverloads {

        @RetryOn(value = IOException.class, name = "overloads")
        public void charge() {}

        @RetryOn(value = IOException.class, name = "overloads")
        public void charge(String order) {}
    }

    static class NamedOverride extends NamedOverloads {

        @Override
        @RetryOn(value = IOException.class, name = "overloads")
        public void charge() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @RetryOn(value = IOException.class, name = "remote")
    @interface Remote {}

    static class NamedByAnAnnotation {

        @Remote
        public void charge() {}

        @Remote
        public void refund() {}
    }
}
