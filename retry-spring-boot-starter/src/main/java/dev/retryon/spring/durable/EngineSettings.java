/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.durable;

import java.time.Duration;

/**
 * How the engine of the starter works: {@code retryon.durable}.
 *
 * @param threads how many calls a process makes at a time
 * @param pollInterval how often it looks for calls that others have stored
 * @param heartbeatInterval how often it confirms its hold on the calls that it makes
 * @param shutdownWait how long running calls are waited for before they are interrupted, and again after that
 * @since 0.1.0
 */
public record EngineSettings(int threads, Duration pollInterval, Duration heartbeatInterval, Duration shutdownWait) {}
