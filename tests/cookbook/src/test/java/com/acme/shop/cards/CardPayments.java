// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.cards;

import static dev.retryon.durable.DurableMode.ON_FAILURE;

import dev.retryon.durable.Durable;
import dev.retryon.spring.RetryOn;
import org.springframework.data.geo.Point;
import org.springframework.stereotype.Service;

@Service
public class CardPayments {

    private final Terminal terminal;

    public CardPayments(Terminal terminal) {
        this.terminal = terminal;
    }

    @RetryOn(Terminal.Unreachable.class)
    @Durable(ON_FAILURE)
    public void charge(CardNumber card, int cents, Point shop) {
        terminal.charge(card, cents, shop);
    }
}
