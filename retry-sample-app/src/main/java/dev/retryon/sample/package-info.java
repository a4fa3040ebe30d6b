/** A small shop that lives from a payment gateway, a stock service and a mail server, none of which is reliable. */
@NullMarked
package dev.retryon.sample;

import org.jspecify.annotations.NullMarked;
