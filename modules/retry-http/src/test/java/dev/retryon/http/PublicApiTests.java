// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http;

import dev.retryon.support.PublicApi;

/** The API of retries of HTTP clients. */
class PublicApiTests extends PublicApi {}
