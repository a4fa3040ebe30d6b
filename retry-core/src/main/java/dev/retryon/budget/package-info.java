/**
 * How many retries there may be for the calls there are: {@link dev.retryon.budget.RetryBudget}.
 */
@NullMarked
package dev.retryon.budget;

import org.jspecify.annotations.NullMarked;
