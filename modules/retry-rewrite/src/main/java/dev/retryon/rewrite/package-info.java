/**
 * OpenRewrite recipes that move applications from spring-retry, from the retries of Spring Framework 7 and from
 * Resilience4j's retries to RetryOn.
 *
 * <p>Each recipe writes out what the other library does by default, so that the meaning stays. What has no counterpart
 * is left as it is, below a comment that gives the reason.
 */
@NullMarked
package dev.retryon.rewrite;

import org.jspecify.annotations.NullMarked;
