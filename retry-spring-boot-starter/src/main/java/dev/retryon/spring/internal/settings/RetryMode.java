// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.settings;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** How calls to retried methods reach RetryOn. */
public enum RetryMode {
    PROXY,

    /** Through an aspect that is woven into the methods. */
    ASPECTJ;

    public boolean isWoven() {
        return this == ASPECTJ && RetryModule.ASPECTS.isPresent();
    }

    /** Reads the mode before properties are bound. An unreadable value counts as the default, and is reported later. */
    public static RetryMode of(Environment environment) {
        try {
            return Binder.get(environment).bind("retryon.mode", RetryMode.class).orElse(PROXY);
        } catch (BindException ex) {
            return PROXY;
        }
    }
}
