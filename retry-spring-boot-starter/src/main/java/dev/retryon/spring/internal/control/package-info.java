// SPDX-License-Identifier: Apache-2.0
/**
 * Internal. Changes while the application runs: settings and switches that operators change, and properties that are read
 * again. A change is checked for all retries, and applies to all of them or to none.
 */
@NullMarked
package dev.retryon.spring.internal.control;

import org.jspecify.annotations.NullMarked;
