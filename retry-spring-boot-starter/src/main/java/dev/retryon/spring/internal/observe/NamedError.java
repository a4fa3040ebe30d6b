// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.observe;

/** An error that metrics and logs show by a name other than that of its class. There must be few such names. */
public interface NamedError {

    /** The name, for example {@code http.503}. */
    String errorName();
}
