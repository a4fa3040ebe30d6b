/**
 * For tests of code that is retried: {@link dev.retryon.test.VirtualTime}, in which no wait takes time, and {@link
 * dev.retryon.test.RecordedRetries}, which AssertJ's {@code assertThat} takes. Spring applications use {@code
 * dev.retryon.test.spring} beside it.
 */
@NullMarked
package dev.retryon.test;

import org.jspecify.annotations.NullMarked;
