// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.spring.RetryConfigurationException;
import dev.retryon.spring.RetryFault;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Aliases of methods, {@code retryon.dead-letter.aliases}, that are faults or warnings at start-up. */
@ExtendWith(OutputCaptureExtension.class)
class AliasChecksTests {

    private static final String SHOP = AliasChecksTests.class.getName() + "$Shop";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RetryDurableCoreAutoConfiguration.class,
                    RetryAutoConfiguration.class,
                    RetryDurableAutoConfiguration.class))
            // As in an application: a bean that is not created yet, and known by its interface only.
            .withBean("later", Runnable.class, () -> () -> {}, definition -> definition.setLazyInit(true))
            .withBean(Shop.class);

    @Test
    void aMethodThatIsNotThereIsAWarning(CapturedOutput output) {
        application
                .withPropertyValues(
                        "retryon.dead-letter.aliases[com.acme.Former#pay()]=" + SHOP + "#charge()",
                        "retryon.dead-letter.aliases[com.acme.Former#send()]=" + SHOP + "#chrage()")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output.getAll().lines().filter(line -> line.contains("RETRYON-W")))
                .singleElement()
                .asString()
                .endsWith("RETRYON-W17: retryon.dead-letter.aliases[com.acme.Former#send()] is '" + SHOP
                        + "#chrage()', but no retried method has this key; correct or remove it");
    }

    @Test
    void aMethodOfAnotherApplicationIsAWarning(CapturedOutput output) {
        application
                .withPropertyValues(
                        "retryon.dead-letter.aliases[com.acme.Old#send()]=com.acme.Gone#send(java.lang.String)")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains("RETRYON-W17: retryon.dead-letter.aliases[com.acme.Old#send()] is '");
    }

    @ParameterizedTest
    @ValueSource(strings = {".com.acme.Former#load()", "[com.acme.Former#send]", "[com.acme.Former#send(int, int)]"})
    void aKeyThatIsNoMethodIsAFault(String key) {
        application
                .withPropertyValues("retryon.dead-letter.aliases" + key + "=" + SHOP + "#charge()")
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOfSatisfying(
                                RetryConfigurationException.class,
                                wrong -> assertThat(wrong.faults())
                                        .singleElement()
                                        .extracting(RetryFault::problem)
                                        .asString()
                                        .isEqualTo(
                                                "is not the key of a method; write it in brackets and quotes, with the full"
                                                        + " names of the parameter types and without spaces:"
                                                        + " \"[com.acme.Mails#send(java.lang.String,int)]\"")));
    }

    static class Shop {

        @RetryOn(IOException.class)
        public void charge() {}
    }
}
