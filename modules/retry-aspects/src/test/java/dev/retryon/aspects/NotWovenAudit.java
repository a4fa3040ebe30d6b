// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects;

import dev.retryon.spring.RetryOn;
import java.io.IOException;
import org.aspectj.lang.JoinPoint;

/** A bean whose class the weaver leaves out, but that has the members which the compiler adds for another aspect. */
class NotWovenAudit {

    @RetryOn(IOException.class)
    public String load(String name) throws IOException {
        return load_aroundBody1(this, name, null);
    }

    static String load_aroundBody1(NotWovenAudit audit, String name, JoinPoint execution) throws IOException {
        throw new IOException(audit + name + execution);
    }
}
