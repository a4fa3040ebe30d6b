// SPDX-License-Identifier: Apache-2.0
package com.acme.orders

import dev.retryon.kotlin.attemptTimeout
import dev.retryon.kotlin.callSuspending
import dev.retryon.kotlin.delay
import dev.retryon.kotlin.retry
import dev.retryon.kotlin.retryOn
import dev.retryon.kotlin.retryPolicy
import dev.retryon.kotlin.timeout
import dev.retryon.spring.RetryRegistry
import org.springframework.stereotype.Service
import java.io.IOException
import java.util.concurrent.TimeoutException
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

class Page(val name: String)

fun interface PageSource {

    suspend fun fetch(name: String): Page
}

@Service
open class Catalogue(registry: RetryRegistry, private val source: PageSource) {

    private val retry = registry.retry(
        "catalogue",
        retryPolicy {
            retryOn<IOException>()
            maxAttempts(5)
            delay(200.milliseconds)
        },
    )

    suspend fun page(name: String): Page = retry.callSuspending { source.fetch(name) }
}

val mail = retry("mail") {
    retryOn(IOException::class, TimeoutException::class)
    attemptTimeout(5.seconds)
    timeout(1.minutes)
}
