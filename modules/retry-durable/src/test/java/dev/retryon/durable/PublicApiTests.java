// SPDX-License-Identifier: Apache-2.0
package dev.retryon.durable;

import dev.retryon.support.PublicApi;

/** The API of durable calls and dead letters. */
class PublicApiTests extends PublicApi {}
