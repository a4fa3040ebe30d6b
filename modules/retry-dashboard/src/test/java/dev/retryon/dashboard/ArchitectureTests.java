// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import dev.retryon.support.SpringModuleRules;

/** The rules of packages and classes in the module of the page for operators. */
class ArchitectureTests extends SpringModuleRules {

    ArchitectureTests() {
        super("dev.retryon.dashboard");
    }
}
