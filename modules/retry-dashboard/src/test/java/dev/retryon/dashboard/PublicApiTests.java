// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import dev.retryon.support.PublicApi;

/** The API of the page for operators. */
class PublicApiTests extends PublicApi {}
