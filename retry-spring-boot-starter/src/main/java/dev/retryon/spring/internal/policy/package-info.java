/**
 * Internal. What holds for a method: annotations and properties become layers, layers become one policy per method. Also
 * its key, its recovery methods, its budget, and the registry of all retried methods. Knows nothing of the proxy that makes
 * the calls.
 */
@NullMarked
package dev.retryon.spring.internal.policy;

import org.jspecify.annotations.NullMarked;
