// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.acme.Faulty;
import com.acme.StockService;
import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryOn;
import jakarta.annotation.PostConstruct;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** When faults are found, and that none of them gets lost. */
@ExtendWith(OutputCaptureExtension.class)
class StartupCheckTests {

    private static final String FAULT = "delay is '5 parsecs', but must be a duration";

    @Test
    void looksAtBeansThatAreMadeLazily(CapturedOutput output) {
        assertThat(BootRun.of(
                                "lazy initialization",
                                "spring.main.lazy-initialization: true\n",
                                Faulty.UnreadableDelay.class)
                        .failure(output, "--spring.main.lazy-initialization=true"))
                .contains(FAULT);
    }

    @Test
    void tellsOfTheFaultWhereTheMethodIsCalledBeforeTheCheck(CapturedOutput output) {
        assertThat(BootRun.of("call from @PostConstruct", "", Faulty.FailingAndUnreadable.class, EagerCaller.class)
                        .failure(output))
                .contains("@RetryOn on com.acme.Faulty$FailingAndUnreadable.charge", FAULT)
                .doesNotContain("payment provider");
    }

    @Test
    void tellsOfFaultsThatTheFailureOfAnotherBeanWouldHide(CapturedOutput output) {
        BootRun application =
                BootRun.of("", "retryon.defaults.delay: 5 parsecs\n", StockService.class, NoProperBean.class);
        assertThatExceptionOfType(BeanCreationException.class)
                .isThrownBy(application::start)
                .havingRootCause()
                .withMessage("no licence");
        assertThat(output)
                .contains("no licence")
                .contains(
                        "Invalid retry configuration:\n- retryon.defaults.delay: is '5 parsecs', but must be a duration");
    }

    @Test
    void saysNothingTwice(CapturedOutput output) {
        assertThat(BootRun.of("", "", Faulty.UnreadableDelay.class).failure(output))
                .containsOnlyOnce(FAULT);
        assertThat(output.getOut()).doesNotContain("ERROR dev.retryon");
    }

    @Test
    void refusesOnlyTheLaterBeansThatHaveFaults() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(RetryAutoConfiguration.class))
                .withUserConfiguration(LaterBeans.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    for (int i = 0; i < 2; i++) {
                        assertThatExceptionOfType(BeanCreationException.class)
                                .isThrownBy(() -> context.getBean("bad"))
                                .havingRootCause()
                                .isInstanceOf(RetryConfigurationException.class)
                                .withMessageContaining(FAULT);
                    }
                    assertThat(((Service) context.getBean("good")).serve()).isEqualTo("served");
                });
    }

    static class EagerCaller {

        private final Faulty.FailingAndUnreadable service;

        EagerCaller(Faulty.FailingAndUnreadable service) {
            this.service = service;
        }

        @PostConstruct
        void start() throws IOException {
            service.charge();
        }
    }

    static class NoProperBean {

        @PostConstruct
        void start() {
            throw new IllegalStateException("no licence");
        }
    }

    interface Service {

        String serve();
    }

    @Configuration(proxyBeanMethods = false)
    static class LaterBeans {

        @Bean
        @Lazy
        Service bad() {
            return new Service() {
                @Override
                @RetryOn(value = IOException.class, delay = "5 parsecs")
                public String serve() {
                    return "served";
                }
            };
        }

        @Bean
        @Lazy
        Service good() {
            return new Service() {
                @Override
                @RetryOn(IOException.class)
                public String serve() {
                    return "served";
                }
            };
        }
    }
}
