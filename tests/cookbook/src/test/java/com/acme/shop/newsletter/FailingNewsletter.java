// SPDX-License-Identifier: Apache-2.0
package com.acme.shop.newsletter;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Fails twice, then works. */
class FailingNewsletter implements Newsletter {

    final List<String> attempts = new CopyOnWriteArrayList<>();

    final List<String> threads = new CopyOnWriteArrayList<>();

    final List<String> subscribed = new CopyOnWriteArrayList<>();

    @Override
    public void subscribe(String email) throws IOException {
        attempts.add(email);
        threads.add(Thread.currentThread().getName());
        if (attempts.size() <= 2) {
            throw new IOException("down");
        }
        subscribed.add(email);
    }
}
