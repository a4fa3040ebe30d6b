/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.aspects;

import dev.retryon.spring.PublicApi;

/** The API of AspectJ mode. */
class PublicApiTests extends PublicApi {

    PublicApiTests() {
        super("dev.retryon.aspects");
    }
}
