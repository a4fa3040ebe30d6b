/**
 * Support for tests of retried code. With {@link dev.retryon.test.VirtualTime}, delays take no time, and
 * {@link dev.retryon.test.RecordedRetries} records calls for AssertJ's {@code assertThat}. Spring applications also
 * use {@code dev.retryon.test.spring}.
 */
@NullMarked
package dev.retryon.test;

import org.jspecify.annotations.NullMarked;
