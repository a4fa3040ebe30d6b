// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

/**
 * A boolean attribute of an annotation that can also be unset.
 *
 * @since 0.1.0
 */
public enum Flag {

    /** The attribute is not set. The value of a weaker layer applies, or else the default. */
    INHERIT,

    /** The attribute is true. */
    TRUE,

    /** The attribute is false. */
    FALSE
}
