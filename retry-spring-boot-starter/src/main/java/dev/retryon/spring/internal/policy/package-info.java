/**
 * Internal. Retries with names, of methods, of HTTP clients and of the registry: annotations and properties become layers,
 * and layers become one retry. Also recovery methods and budgets. Knows nothing of the proxy that runs the calls.
 */
@NullMarked
package dev.retryon.spring.internal.policy;

import org.jspecify.annotations.NullMarked;
