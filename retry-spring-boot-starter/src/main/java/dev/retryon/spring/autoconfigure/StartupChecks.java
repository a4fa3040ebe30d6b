// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.autoconfigure;

/** What to do if properties have faults. */
enum StartupChecks {
    /** They end the start. */
    FAIL,

    /** They are logged as warnings, and the property is ignored. */
    WARN
}
