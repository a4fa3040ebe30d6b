// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring.internal.policy;

import dev.retryon.spring.internal.settings.Setting;

/** The purpose for which a setting names a method. */
enum MethodRole {

    /** The method returns a value instead of the error. */
    RECOVERY,

    /** The method runs before each retry. */
    BEFORE_RETRY;

    /** The setting that names the method. */
    Setting<String> setting() {
        return this == RECOVERY ? Setting.RECOVER : Setting.BEFORE_RETRY;
    }
}
