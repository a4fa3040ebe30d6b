// SPDX-License-Identifier: Apache-2.0
/** Internal. Reports to users: start-up faults and warnings, errors of extensions at run time, and the starter's log. */
@NullMarked
package dev.retryon.spring.internal.report;

import org.jspecify.annotations.NullMarked;
