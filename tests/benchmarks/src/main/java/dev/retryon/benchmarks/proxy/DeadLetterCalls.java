// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.proxy;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;

import dev.retryon.durable.Durable;

/** Retried by RetryOn, which keeps calls that fail permanently. */
@Durable(ON_EXHAUSTION)
public class DeadLetterCalls extends RetryOnCalls {}
