// SPDX-License-Identifier: Apache-2.0
package com.acme.composed;

import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.springframework.core.annotation.AliasFor;

/** Has a composed annotation that no scan can read, so it is in a package of its own. */
public class WronglyComposed {

    /** Sets an attribute that there is not. */
    @Retention(RetentionPolicy.RUNTIME)
    @RetryOn(IOException.class)
    public @interface Patient {

        @AliasFor(annotation = RetryOn.class, attribute = "dellay")
        String pause() default "";
    }

    @Patient(pause = "1s")
    public void charge() {}
}
