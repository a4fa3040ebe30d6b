// SPDX-License-Identifier: Apache-2.0
package com.acme.scanned;

import dev.retryon.spring.RetryOn;
import java.io.IOException;
import org.springframework.stereotype.Component;

/** A service with another fault. */
@Component
public class ScannedGateway {

    @RetryOn(value = IOException.class, jitter = "120%")
    public void connect() {}
}
