// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.actuate;

import java.util.Collection;
import java.util.List;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** The response to a request for a name that no retry has. Known names are sorted. */
record UnknownName(String hint, List<String> names) implements OperationResponseBody {

    static UnknownName of(String name, Collection<String> known) {
        return new UnknownName(hint(name), List.copyOf(known));
    }

    static String hint(String name) {
        return "no retry is named '" + name + "'";
    }
}
