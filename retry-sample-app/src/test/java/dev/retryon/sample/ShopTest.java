// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/**
 * Opens the shop, the same for all tests. Nothing in it depends on how fast a machine is: there is time for every answer,
 * and a lost one shows at once.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {"outside.hanging-up=true", "spring.http.clients.read-timeout=2m"})
@interface ShopTest {}
