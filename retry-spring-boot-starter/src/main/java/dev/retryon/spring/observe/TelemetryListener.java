/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.observe;

import dev.retryon.RetryListener;
import dev.retryon.spring.settings.RuntimeFaults;

/** A listener of ours. Its failures are those of what it hands events to. */
interface TelemetryListener extends RetryListener {

    /**
     * What is at fault if this listener fails.
     *
     * @return the kind of fault
     */
    RuntimeFaults.Kind faultKind();
}
