// SPDX-License-Identifier: Apache-2.0
package com.acme.scanned;

import dev.retryon.spring.RetryOn;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.springframework.stereotype.Component;

/** A service that lists two different types. */
@Component
@RetryOn(value = IOException.class, exceptions = UncheckedIOException.class)
public class ScannedService {

    public void charge() {}
}
