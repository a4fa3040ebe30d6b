// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.outside;

import java.util.List;

/**
 * The requests of a service since its script was set.
 *
 * @param answered its answers, one per request
 * @param next its next answers; 200 after them
 * @param done the number of processed requests; requests with the same idempotency key count once
 */
public record OutsideReport(List<String> answered, List<String> next, int done) {}
