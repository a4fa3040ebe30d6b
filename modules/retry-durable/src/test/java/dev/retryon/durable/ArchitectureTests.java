// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

import dev.retryon.support.SpringModuleRules;

/** The rules of packages and classes in the module of durable calls and dead letters. */
class ArchitectureTests extends SpringModuleRules {

    ArchitectureTests() {
        super("dev.retryon.durable");
    }
}
