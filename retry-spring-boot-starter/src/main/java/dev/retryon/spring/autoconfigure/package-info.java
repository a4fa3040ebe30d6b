/** Properties and auto-configurations: wiring, no logic. */
@NullMarked
package dev.retryon.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
