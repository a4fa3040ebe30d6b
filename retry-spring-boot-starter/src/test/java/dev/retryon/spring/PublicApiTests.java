/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring;

/** The API of the starter. */
class PublicApiTests extends PublicApi {

    PublicApiTests() {
        super("dev.retryon.spring");
    }
}
