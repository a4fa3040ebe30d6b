// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http.autoconfigure;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;

/** Adds this module to an application that a test starts. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration(RetryHttpAutoConfiguration.class)
class HttpModule {}
