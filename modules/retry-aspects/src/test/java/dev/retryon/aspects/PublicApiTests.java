// SPDX-License-Identifier: Apache-2.0
package dev.retryon.aspects;

import dev.retryon.support.PublicApi;

/** The API of AspectJ mode. */
class PublicApiTests extends PublicApi {}
