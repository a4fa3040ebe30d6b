/**
 * Properties and auto-configurations, which contain wiring but no logic. The auto-configurations are API, because
 * applications exclude or import them by class. All other types are internal.
 */
@NullMarked
package dev.retryon.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
