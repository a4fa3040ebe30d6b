// SPDX-License-Identifier: Apache-2.0
package dev.retryon.test;

import dev.retryon.support.ModuleRules;

/** The rules of packages in the module for tests of applications. */
class ArchitectureTests extends ModuleRules {}
