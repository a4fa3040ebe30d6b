// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.tenants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.retryon.RetryResult;
import dev.retryon.StopReason;
import dev.retryon.spring.Retries;
import dev.retryon.spring.RetryOn;
import dev.retryon.test.spring.VirtualRetries;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

@SpringBootTest
@VirtualRetries
class TenantLimitsRecipeTests {

    @Autowired
    private Search search;

    @AfterEach
    void noTenant() {
        Tenant.set(null);
    }

    @Test
    void aNoisyTenantUsesUpItsOwnRetries() {
        RetryResult<String> last = searchAs("noisy");
        // 2 a second, saved for 10 s
        for (int i = 0; i < 1_000 && last.stopReason() != StopReason.REJECTED; i++) {
            last = searchAs("noisy");
        }
        assertThat(last.stopReason()).isEqualTo(StopReason.REJECTED);

        assertThat(searchAs("quiet").attempts()).isEqualTo(3);
    }

    private RetryResult<String> searchAs(String tenant) {
        Tenant.set(tenant);
        return Retries.capture(() -> search.find("tea"));
    }

    static class Search {

        @RetryOn(IOException.class)
        public String find(String text) throws IOException {
            throw new IOException("down");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({TenantLimits.class, Search.class})
    static class Shop {}
}
