/**
 * OpenRewrite recipes that move applications to RetryOn from spring-retry, from the retries of Spring Framework 7 and
 * from Resilience4j's retries.
 *
 * <p>Each recipe writes out the defaults of the other library, so methods are retried as before. Code without a
 * counterpart in RetryOn is left unchanged, below a comment that gives the reason.
 */
@NullMarked
package dev.retryon.rewrite;

import org.jspecify.annotations.NullMarked;
