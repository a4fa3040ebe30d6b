// SPDX-License-Identifier: Apache-2.0
package dev.retryon.rewrite;

import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.TreeVisitor;

/**
 * Moves applications from Resilience4j's {@code @Retry} to RetryOn, including the properties below
 * {@code resilience4j.retry} and the dependency. Circuit breakers and other parts of Resilience4j are not
 * changed.
 *
 * @since 0.1.0
 */
public final class MoveResilience4j extends ScanningRecipe<Found> {

    /** Creates the recipe. */
    public MoveResilience4j() {}

    @Override
    public String getDisplayName() {
        return "Move Resilience4j's retries to RetryOn";
    }

    @Override
    public String getDescription() {
        return "Replaces `@Retry` with `@RetryOn` and a policy, and replaces the properties of the instances with"
                + " equivalent policies.";
    }

    @Override
    public Found getInitialValue(ExecutionContext context) {
        return new Resilience4jFound();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(Found found) {
        return found.scanner();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Found found) {
        return found.changer();
    }
}
