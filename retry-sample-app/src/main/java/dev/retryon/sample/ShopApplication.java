// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.ApplicationPidFileWriter;

/** Starts the shop, whose start page explains the rest. */
@SpringBootApplication
public class ShopApplication {

    /**
     * Starts the shop.
     *
     * @param args Spring Boot's arguments, such as {@code --server.port=0}
     */
    public static void main(String[] args) {
        SpringApplication shop = new SpringApplication(ShopApplication.class);
        // Lets the commands of the tour stop exactly this process.
        shop.addListeners(new ApplicationPidFileWriter());
        shop.run(args);
    }
}
