/** What happens to retried calls, as meters, observations, logs and application events. */
@NullMarked
package dev.retryon.spring.observe;

import org.jspecify.annotations.NullMarked;
