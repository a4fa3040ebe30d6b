/**
 * What happens to retried calls, as meters, observations, logs and application events. {@code RetryTagsContributor} and
 * {@code RetryObservationEvent} are API, all else is internal.
 */
@NullMarked
package dev.retryon.spring.internal.observe;

import org.jspecify.annotations.NullMarked;
