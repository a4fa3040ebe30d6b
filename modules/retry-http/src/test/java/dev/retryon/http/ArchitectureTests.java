// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import dev.retryon.support.SpringModuleRules;

/** The rules of packages and classes in the module of retries of HTTP clients. */
class ArchitectureTests extends SpringModuleRules {

    ArchitectureTests() {
        super("dev.retryon.http");
    }
}
