// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import dev.retryon.test.spring.FaultInjection;
import java.io.IOException;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

@TestConfiguration(proxyBeanMethods = false)
class FlakyGateway {

    @Bean
    static FaultInjection<Gateway> gatewayFaults() {
        return FaultInjection.in(Gateway.class).failRandomly("place", 0.3, 42, IOException::new);
    }
}
