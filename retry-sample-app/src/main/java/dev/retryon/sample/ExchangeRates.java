// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.service.annotation.GetExchange;

/**
 * Calls the payment gateway. No annotation is needed: the HTTP client behind this interface retries its requests as
 * configured by retryon.http in application.yml. It waits as long as the gateway requests with Retry-After.
 */
interface ExchangeRates {

    @GetExchange("/rates/{currency}")
    ResponseEntity<Void> of(@PathVariable String currency);
}
