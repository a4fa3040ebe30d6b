/**
 * Properties and auto-configurations: wiring, no logic. The auto-configurations are API, to be excluded or imported by
 * class; all else is internal.
 */
@NullMarked
package dev.retryon.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
