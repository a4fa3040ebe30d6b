/** The world outside the shop, played by an HTTP server that fails on command. */
@NullMarked
package dev.retryon.sample.outside;

import org.jspecify.annotations.NullMarked;
