/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.measure;

import java.util.List;

/**
 * What came of a comparison.
 *
 * @param id its short name
 * @param title what was done
 * @param unit the symbol of the unit of its times
 * @param bytes what its bytes are
 * @param figures the contenders', the limit's first
 */
public record Outcome(String id, String title, String unit, String bytes, List<Figures> figures) {}
