package com.acme.shop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** Passes before the migration and after it. */
@SpringBootTest
class PriceServiceTests {

    @Autowired
    private PriceList priceList;

    @Autowired
    private PriceService prices;

    @Test
    void asksAgainWhileTheListIsBusy() throws Exception {
        priceList.isBusyFor(2);

        assertThat(prices.price("ink")).isEqualTo("ink: 12 EUR");
        assertThat(priceList.calls()).isEqualTo(3); // 3 = 2 failed + 1
    }

    @Test
    void fallsBackToTheLastPriceAfterFourCalls() throws Exception {
        priceList.isBusyFor(10);

        assertThat(prices.price("ink")).isEqualTo("ink: 10 EUR, yesterday");
        assertThat(priceList.calls()).isEqualTo(4);
    }

    @Test
    void fallsBackAfterOneCallThatEndsWithAnError() throws Exception {
        priceList.isBroken();

        assertThat(prices.price("ink")).isEqualTo("ink: 10 EUR, yesterday");
        assertThat(priceList.calls()).isEqualTo(1);
    }
}
