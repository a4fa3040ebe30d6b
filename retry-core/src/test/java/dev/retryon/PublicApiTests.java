// SPDX-License-Identifier: Apache-2.0
package dev.retryon;

import dev.retryon.support.PublicApi;

/** The API of the core. */
class PublicApiTests extends PublicApi {}
