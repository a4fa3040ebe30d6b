// SPDX-License-Identifier: Apache-2.0
/** Auto-configuration of retries of HTTP clients. */
@NullMarked
package dev.retryon.http.autoconfigure;

import org.jspecify.annotations.NullMarked;
