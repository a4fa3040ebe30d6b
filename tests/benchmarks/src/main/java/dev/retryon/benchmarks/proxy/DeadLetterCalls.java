// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.proxy;

import dev.retryon.spring.OnExhaustion;
import dev.retryon.spring.RetryOn;

/** Retried by RetryOn, which keeps calls that fail for good. */
@RetryOn(onExhaustion = OnExhaustion.DEAD_LETTER)
public class DeadLetterCalls extends RetryOnCalls {}
