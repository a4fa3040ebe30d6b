/**
 * What happens to retried calls, as meters, observations, logs and application events. {@code RetryObservationEvent} is
 * API, all else is internal.
 */
@NullMarked
package dev.retryon.spring.internal.observe;

import org.jspecify.annotations.NullMarked;
