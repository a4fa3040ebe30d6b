/**
 * Support for tests of retried code: {@link dev.retryon.test.VirtualTime}, in which delays take no time, and {@link
 * dev.retryon.test.RecordedRetries}, an object for AssertJ's {@code assertThat}. Spring applications also use {@code
 * dev.retryon.test.spring}.
 */
@NullMarked
package dev.retryon.test;

import org.jspecify.annotations.NullMarked;
