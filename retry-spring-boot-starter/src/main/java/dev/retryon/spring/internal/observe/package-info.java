/** Internal. Reports retried calls as meters, observations, log lines and application events. */
@NullMarked
package dev.retryon.spring.internal.observe;

import org.jspecify.annotations.NullMarked;
