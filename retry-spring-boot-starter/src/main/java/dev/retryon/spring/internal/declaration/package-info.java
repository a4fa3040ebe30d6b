// SPDX-License-Identifier: Apache-2.0
/** Declarations of retried methods: annotations, pointcuts, and the classes and methods to which they apply. */
@NullMarked
package dev.retryon.spring.internal.declaration;

import org.jspecify.annotations.NullMarked;
