/**
 * The settings of retries, the layers they come from, and what is wrong with them. {@code RetrySettings}, {@code
 * RetryConfigurationException}, {@code RetryFault} and {@code Place} are API, all else is internal.
 */
@NullMarked
package dev.retryon.spring.settings;

import org.jspecify.annotations.NullMarked;
