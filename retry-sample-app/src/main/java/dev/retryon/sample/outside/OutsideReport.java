/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.sample.outside;

import java.util.List;

/**
 * What a service saw since its script was set.
 *
 * @param answered what it answered, one entry a request
 * @param next what it will answer; 200 after that
 * @param done how often it did what it was asked to; requests with the same idempotency key count once
 */
public record OutsideReport(List<String> answered, List<String> next, int done) {}
