/**
 * Reports retried calls as meters, observations, log lines and application events. Only {@code RetryObservationEvent} is
 * part of the API.
 */
@NullMarked
package dev.retryon.spring.internal.observe;

import org.jspecify.annotations.NullMarked;
