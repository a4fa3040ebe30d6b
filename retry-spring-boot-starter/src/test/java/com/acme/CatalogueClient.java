// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.retryon.spring.RetryOn;
import java.io.FileNotFoundException;
import java.io.IOException;

/** The class of the documentation's example of layers. */
public class CatalogueClient extends RemoteClient {

    @RetryOn(policy = "patient", excludes = FileNotFoundException.class, delay = "250ms")
    public String load(String article) throws IOException {
        return article;
    }
}
