// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

/**
 * A boolean attribute of an annotation that can also be unset.
 *
 * @since 0.1.0
 */
public enum Flag {

    /** Not set: the value of a weaker layer applies, or the default. */
    INHERIT,

    /** Yes. */
    TRUE,

    /** No. */
    FALSE
}
