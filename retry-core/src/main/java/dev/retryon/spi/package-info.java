// SPDX-License-Identifier: Apache-2.0
/**
 * The contract between the core and modules that extend it, such as {@code retry-spring-boot-starter} and {@code
 * retry-durable}. Applications need only one type of this package: {@link dev.retryon.spi.DeadLetterQueue}, to store failed
 * calls without {@code retry-durable}.
 *
 * <ul>
 *   <li>{@link dev.retryon.spi.CallHandover} and {@link dev.retryon.spi.DeadLetterQueue} are implemented by modules. The
 *       engine calls them when a retry is to run later, or when a call has failed for good.
 *   <li>{@link dev.retryon.spi.RetryBuilderSpi} and {@link dev.retryon.spi.RetrySpi} are implemented by the core. Modules
 *       get them from {@link dev.retryon.RetryBuilder#spi()} and {@link dev.retryon.Retry#spi()}.
 * </ul>
 *
 * <p>A module that stores calls and runs them later, perhaps in another process, does this:
 *
 * <pre>{@code
 * // First attempt, in the caller's process: a failed attempt goes to handover.take(..), and the caller continues.
 * Retry first = Retry.builder("mail", policy).spi().handOver(handover).build();
 * first.call(mail, operation);
 *
 * // Later attempt, in any process: the stored state says which attempt this is.
 * Retry next = first.spi().resume(state, waited, lease::isValid);
 * next.call(mail, operation);
 * }</pre>
 *
 * <p>This package and {@link dev.retryon} know each other: the SPI uses the core's types, and the core calls the SPI.
 */
@NullMarked
package dev.retryon.spi;

import org.jspecify.annotations.NullMarked;
