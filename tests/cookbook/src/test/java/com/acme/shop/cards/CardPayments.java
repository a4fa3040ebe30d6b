// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.cards;

import dev.retryon.spring.Durable;
import dev.retryon.spring.RetryOn;
import org.springframework.data.geo.Point;
import org.springframework.stereotype.Service;

@Service
public class CardPayments {

    private final Terminal terminal;

    public CardPayments(Terminal terminal) {
        this.terminal = terminal;
    }

    @RetryOn(exceptions = Terminal.Unreachable.class, durable = Durable.ON_FAILURE)
    public void charge(CardNumber card, int cents, Point shop) {
        terminal.charge(card, cents, shop);
    }
}
