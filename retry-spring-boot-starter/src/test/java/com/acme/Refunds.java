// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.retryon.spring.RetryOn;
import java.io.IOException;

/** A class without faults beside another one, for faults in properties that both share. */
public class Refunds {

    @RetryOn(value = IOException.class, policy = "${stock.policy:}")
    public void book(int order) throws IOException {}

    @RetryOn(IOException.class)
    public String refund(int order) throws IOException {
        return "";
    }

    void undo(String order, IOException error) {}
}
