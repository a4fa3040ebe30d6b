// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.cards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.retryon.spring.RetryConfigurationException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.random.RandomGenerator;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.geo.Point;
import org.springframework.jdbc.core.JdbcTemplate;

class StoredArgumentsRecipeTests {

    private final List<String> charged = new CopyOnWriteArrayList<>();

    private volatile boolean unreachable = true;

    private ConfigurableApplicationContext shop;

    @BeforeEach
    void start() {
        shop = run(Shop.class);
    }

    @AfterEach
    void stop() {
        shop.getBean(JdbcTemplate.class).execute("SHUTDOWN");
        shop.close();
    }

    @Test
    void theDatabaseHasTheNumberOnlyEncrypted() {
        shop.getBean(CardPayments.class).charge(new CardNumber("4111 1111"), 990, new Point(52.5, 13.4));

        byte[] stored =
                shop.getBean(JdbcTemplate.class).queryForObject("select task_data from retryon_call", byte[].class);
        assertThat(new String(stored, StandardCharsets.UTF_8))
                .contains("\"cents\":990,\"shop\":{\"x\":52.5,\"y\":13.4}")
                .doesNotContain("4111");

        unreachable = false;
        await().until(() -> !charged.isEmpty());
        assertThat(charged).containsExactly("4111 1111 990 Point [x=52.500000, y=13.400000]");
    }

    @Test
    void withoutTheModuleThePointIsAFaultAtTheStart() {
        assertThatExceptionOfType(RetryConfigurationException.class)
                .isThrownBy(() -> run(ShopWithoutModules.class))
                .withMessageContaining("parameter shop of method charge is of type " + Point.class.getName()
                        + ", which cannot be stored");
    }

    private ConfigurableApplicationContext run(Class<?> application) {
        Terminal terminal = (card, cents, place) -> {
            if (unreachable) {
                throw new Terminal.Unreachable();
            }
            charged.add(card.digits() + " " + cents + " " + place);
        };
        return new SpringApplicationBuilder(application)
                .initializers(context -> context.getBeanFactory().registerSingleton("terminal", terminal))
                .initializers(context -> context.getBeanFactory().registerSingleton("vault", new AesVault()))
                .run(
                        "--spring.datasource.url=jdbc:h2:mem:cards;DB_CLOSE_DELAY=-1",
                        "--retryon.methods.[com.acme.shop.cards.CardPayments#charge].delay=50ms",
                        "--retryon.methods.[com.acme.shop.cards.CardPayments#charge].max-attempts=1000");
    }

    /** Encrypts a text to another one each time. */
    private static final class AesVault implements Vault {

        private static final SecretKeySpec KEY = new SecretKeySpec(new byte[16], "AES");

        @Override
        public String encrypt(String text) {
            byte[] nonce = new byte[12];
            RandomGenerator.getDefault().nextBytes(nonce);
            byte[] encrypted = run(Cipher.ENCRYPT_MODE, nonce, text.getBytes(StandardCharsets.UTF_8));
            Base64.Encoder base64 = Base64.getEncoder();
            return base64.encodeToString(nonce) + base64.encodeToString(encrypted);
        }

        @Override
        public String decrypt(String text) {
            Base64.Decoder base64 = Base64.getDecoder();
            byte[] nonce = base64.decode(text.substring(0, 16));
            return new String(
                    run(Cipher.DECRYPT_MODE, nonce, base64.decode(text.substring(16))), StandardCharsets.UTF_8);
        }

        private static byte[] run(int mode, byte[] nonce, byte[] data) {
            try {
                Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
                cipher.init(mode, KEY, new GCMParameterSpec(128, nonce));
                return cipher.doFinal(data);
            } catch (GeneralSecurityException ex) {
                throw new IllegalStateException(ex);
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({CardPayments.class, StoredCardsConfiguration.class})
    static class Shop {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(CardPayments.class)
    static class ShopWithoutModules {}
}
