// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.retryon.spring.RetryOn;
import java.io.IOException;

/** The base class of the documentation's example of layers. */
@RetryOn(value = IOException.class, maxAttempts = 4)
public abstract class RemoteClient {}
