/** Retries of HTTP requests, and how long servers want to be waited for. */
@NullMarked
package dev.retryon.spring.http;

import org.jspecify.annotations.NullMarked;
