/** A small shop that depends on a payment gateway, a stock service and a mail server, none of which is reliable. */
@NullMarked
package dev.retryon.sample;

import org.jspecify.annotations.NullMarked;
