/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.autoconfigure;

import java.util.ArrayList;
import java.util.List;

/** Warnings at start-up. */
class RetryWarningsProperties {

    /** Codes of warnings not to log, such as W07. */
    private List<String> ignore = new ArrayList<>();

    public List<String> getIgnore() {
        return ignore;
    }

    public void setIgnore(List<String> ignore) {
        this.ignore = ignore;
    }
}
