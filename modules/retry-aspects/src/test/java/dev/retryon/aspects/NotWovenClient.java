// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects;

import dev.retryon.spring.RetryOn;
import java.io.IOException;

/** A bean whose class the weaver leaves out; see {@code META-INF/aop-tests.xml}. */
class NotWovenClient {

    final Partner partner = new Partner();

    @RetryOn(IOException.class)
    public String load(String name) throws IOException {
        return partner.fetch(name);
    }

    /** As a class has it that is woven for Spring's transactions alone. */
    static String load_aroundBody0(NotWovenClient client, String name) throws IOException {
        return client.partner.fetch(name);
    }
}
