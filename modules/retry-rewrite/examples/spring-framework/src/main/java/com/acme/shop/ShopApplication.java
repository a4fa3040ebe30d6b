package com.acme.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.resilience.annotation.EnableResilientMethods;

@SpringBootApplication
@EnableResilientMethods
public class ShopApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(ShopApplication.class, arguments);
    }
}
