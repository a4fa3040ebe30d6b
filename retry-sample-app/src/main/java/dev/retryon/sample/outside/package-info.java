/** The external services of the shop, simulated by an HTTP server that fails on command. */
@NullMarked
package dev.retryon.sample.outside;

import org.jspecify.annotations.NullMarked;
