// SPDX-License-Identifier: Apache-2.0
package com.acme.correct;

import static org.assertj.core.api.Assertions.assertThat;

import com.acme.correct.Beans.Payments;
import com.acme.correct.Beans.Signalling;
import dev.retryon.spring.autoconfigure.RetryAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/** A test that puts a mock and a spy in the place of retried beans, which settings are for. */
@ExtendWith(OutputCaptureExtension.class)
@SpringJUnitConfig({MockedBeanTests.class, Signalling.class})
@ImportAutoConfiguration(RetryAutoConfiguration.class)
@TestPropertySource(properties = "retryon.methods[com.acme.correct.Beans$Payments#charge].max-attempts=5")
class MockedBeanTests {

    @MockitoBean
    private Payments payments;

    @MockitoSpyBean
    private Signalling signalling;

    @Test
    void nothingIsWarnedOf(CapturedOutput output) {
        assertThat(payments).isNotNull();
        assertThat(signalling).isNotNull();
        assertThat(output).doesNotContain("RETRYON-W");
    }
}
