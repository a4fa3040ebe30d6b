package com.acme.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.retry.annotation.EnableRetry;

@SpringBootApplication
@EnableRetry
public class ShopApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(ShopApplication.class, arguments);
    }
}
