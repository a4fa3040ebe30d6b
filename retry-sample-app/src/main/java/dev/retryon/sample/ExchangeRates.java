/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.sample;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.service.annotation.GetExchange;

/**
 * Asks the payment gateway. Nothing is annotated: the HTTP client behind this interface retries its requests itself, as
 * retryon.http in application.yml says, and waits as long as the gateway asks in Retry-After.
 */
interface ExchangeRates {

    @GetExchange("/rates/{currency}")
    ResponseEntity<Void> of(@PathVariable String currency);
}
