/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The argument is hidden wherever a stored call is shown: in endpoints, events, logs and messages. It is stored as it is,
 * because the call needs it when it is made again; whoever can read the store can read it.
 *
 * <p>On a parameter of the method itself, or of one that it overrides.
 *
 * @since 0.1.0
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
public @interface Redacted {}
