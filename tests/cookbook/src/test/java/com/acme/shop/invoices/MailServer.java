// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.invoices;

public interface MailServer {

    void send(String to, String subject, String idempotencyKey) throws Unavailable;

    class Unavailable extends RuntimeException {

        private static final long serialVersionUID = 1L;

        public Unavailable(String message) {
            super(message);
        }
    }
}
