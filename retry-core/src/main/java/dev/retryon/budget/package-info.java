/** Limits retries to a share of the calls; see {@link dev.retryon.budget.RetryBudget}. */
@NullMarked
package dev.retryon.budget;

import org.jspecify.annotations.NullMarked;
