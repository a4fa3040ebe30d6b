// SPDX-License-Identifier: Apache-2.0
package dev.retryon.spring;

import dev.retryon.support.PublicApi;

/** The API of the starter. */
class PublicApiTests extends PublicApi {}
