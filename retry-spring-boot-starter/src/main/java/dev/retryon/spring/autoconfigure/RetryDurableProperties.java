/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.store.StoreMode;

/** Calls that survive the process. Knows nothing of JDBC and of the engine, which may not be there. */
class RetryDurableProperties {

    /** Where calls are kept: in the application's database, or in a file of their own. */
    private StoreMode store = StoreMode.AUTO;

    /** The file of the embedded store. */
    private String path = "./retryon.db";

    public StoreMode getStore() {
        return store;
    }

    public void setStore(StoreMode store) {
        this.store = store;
    }

    public String getPath() {
        return path;
    }

    public void setPath(String path) {
        this.path = path;
    }
}
