// SPDX-License-Identifier: Apache-2.0
package com.acme.orders

import dev.retryon.RetryContext
import dev.retryon.spring.RetryOn
import kotlinx.coroutines.delay
import org.springframework.stereotype.Service
import java.io.IOException

class Payment(val order: String, val state: String, val amount: Int = 0)

interface PaymentGateway {

    suspend fun charge(order: String, key: String): Payment

    suspend fun state(order: String): Payment
}

@Service
open class PaymentService(private val gateway: PaymentGateway) {

    @RetryOn(IOException::class, maxAttempts = 5, delay = "200ms")
    open suspend fun charge(order: String): Payment =
        gateway.charge(order, RetryContext.current().callId())

    @RetryOn(IOException::class, recover = "unknown")
    open suspend fun find(order: String): Payment = gateway.state(order)

    private suspend fun unknown(order: String, error: IOException): Payment {
        delay(10)
        return Payment(order, "unknown: ${error.message}")
    }

    @RetryOn(
        IOException::class,
        onlyIf = "#order != 'draft'",
        retryIf = "#result.state == 'pending'",
        maxAttempts = 60,
        backoff = "fixed",
        delay = "10s",
    )
    open suspend fun settled(order: String): Payment = gateway.state(order)
}
