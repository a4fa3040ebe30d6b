// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.cards;

import org.springframework.data.geo.Point;

public interface Terminal {

    void charge(CardNumber card, int cents, Point shop) throws Unreachable;

    class Unreachable extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }
}
