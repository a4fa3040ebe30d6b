/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.internal.policy;

import dev.retryon.RetryBuilder;
import dev.retryon.spring.RetryFault;
import java.util.ArrayList;
import java.util.List;

/**
 * A retry made of settings, and what is wrong with them.
 *
 * @param retry does without the settings that are wrong
 * @param faults empty if nothing is wrong
 * @param warnings settings that may not do what their author expects
 */
record Assembly(RetryBuilder retry, List<RetryFault> faults, List<PolicyWarnings.Warning> warnings) {

    /** The same with one more fault. */
    Assembly with(RetryFault fault) {
        List<RetryFault> all = new ArrayList<>(faults);
        all.add(fault);
        return new Assembly(retry, List.copyOf(all), warnings);
    }
}
