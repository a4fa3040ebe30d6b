// SPDX-License-Identifier: Apache-2.0
package com.acme.orders

import dev.retryon.spring.RetryOn
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.reactive.asFlow
import kotlinx.coroutines.reactor.awaitSingle
import org.springframework.stereotype.Service
import reactor.core.publisher.Flux
import reactor.core.publisher.Mono
import java.io.IOException

interface Gateway {

    fun find(order: String, attempt: Int): Mono<String>

    fun findAll(): Flux<String>
}

@Service
open class OrderCoroutines(private val gateway: Gateway) {

    @RetryOn(IOException::class)
    open suspend fun find(order: String): String = gateway.find(order, 1).awaitSingle()

    @RetryOn(IOException::class)
    open fun findAll(): Flow<String> = gateway.findAll().asFlow()
}
