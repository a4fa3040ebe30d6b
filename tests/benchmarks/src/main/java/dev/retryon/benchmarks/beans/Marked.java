// SPDX-License-Identifier: Apache-2.0
package dev.retryon.benchmarks.beans;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks the methods to which the empty advice applies. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Marked {}
