// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects;

import dev.retryon.support.SpringModuleRules;

/** The rules of packages and classes in the module of AspectJ mode. */
class ArchitectureTests extends SpringModuleRules {

    ArchitectureTests() {
        super("dev.retryon.aspects");
    }
}
