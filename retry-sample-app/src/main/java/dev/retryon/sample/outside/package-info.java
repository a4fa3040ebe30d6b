/** The world outside the shop, played by an HTTP server that fails when it is told to. */
@NullMarked
package dev.retryon.sample.outside;

import org.jspecify.annotations.NullMarked;
