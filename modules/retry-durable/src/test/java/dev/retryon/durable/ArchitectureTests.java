/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.durable;

import dev.retryon.spring.ModuleRules;

/** The rules of packages and classes in the module of durable calls and dead letters. */
class ArchitectureTests extends ModuleRules {

    ArchitectureTests() {
        super("dev.retryon.durable");
    }
}
