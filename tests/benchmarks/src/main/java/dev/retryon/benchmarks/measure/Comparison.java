/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.benchmarks.measure;

import java.util.List;

/**
 * Contenders that do the same thing. The first of them is the limit: the others' ratios are to it.
 *
 * @param id a short name, for the command line and for files
 * @param title what is done
 * @param unit in what times are shown
 * @param bytes what the bytes are, for the head of a column
 * @param contenders who does it, at least the limit
 */
public record Comparison(String id, String title, Unit unit, String bytes, List<Contender> contenders) {}
