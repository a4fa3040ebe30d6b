// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

/**
 * Defines which settings an annotation inherits from weaker annotations that apply to the same method.
 *
 * @since 0.1.0
 */
public enum Inherit {

    /** All settings that this annotation does not set. */
    ALL,

    /**
     * No settings. The weaker annotations, and the policies that they name, are ignored. Properties still apply.
     */
    NONE
}
