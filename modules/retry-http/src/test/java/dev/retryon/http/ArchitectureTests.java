/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.http;

import dev.retryon.spring.ModuleRules;

/** The rules of packages and classes in the module of retries of HTTP clients. */
class ArchitectureTests extends ModuleRules {

    ArchitectureTests() {
        super("dev.retryon.http");
    }
}
