// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample.outside;

import java.util.List;

/**
 * The requests that a service has received since its script was set.
 *
 * @param answered the answers of the service, one per request
 * @param next the next answers of the service, which then answers 200
 * @param done the number of processed requests; requests with the same idempotency key count once
 */
public record OutsideReport(List<String> answered, List<String> next, int done) {}
