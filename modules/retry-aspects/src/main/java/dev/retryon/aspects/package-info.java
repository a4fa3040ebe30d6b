// SPDX-License-Identifier: Apache-2.0
/** AspectJ mode, which weaves retries into methods that a proxy cannot reach. */
@NullMarked
package dev.retryon.aspects;

import org.jspecify.annotations.NullMarked;
