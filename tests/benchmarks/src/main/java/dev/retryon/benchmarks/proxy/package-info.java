/** Calls through Spring proxies. */
@NullMarked
package dev.retryon.benchmarks.proxy;

import org.jspecify.annotations.NullMarked;
