// SPDX-License-Identifier: Apache-2.0
package dev.retryon.kotlin

import dev.retryon.RetryContext
import dev.retryon.RetryPolicy
import dev.retryon.backoff.Backoff
import dev.retryon.backoff.Jitter
import dev.retryon.test.RecordedRetries
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatIllegalArgumentException
import org.junit.jupiter.api.Test
import java.io.FileNotFoundException
import java.io.IOException
import java.net.ConnectException
import java.time.Duration
import java.util.concurrent.TimeoutException
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

class PoliciesTests {

    @Test
    fun buildsWhatTheBuilderBuilds() {
        val policy = retryPolicy {
            retryOn<IOException>()
            retryOn(TimeoutException::class, IllegalStateException::class)
            excludes<FileNotFoundException>()
            excludes(ConnectException::class)
            recoverOn(UnsupportedOperationException::class)
            maxAttempts(5)
            backoff(Backoff.fixed())
            delay(200.milliseconds)
            maxDelay(30.seconds)
            timeout(1.minutes)
            attemptTimeout(5.seconds)
            jitter(Jitter.none())
        }
        val java = RetryPolicy.builder()
            .retryOn(IOException::class.java, TimeoutException::class.java, IllegalStateException::class.java)
            .excludes(FileNotFoundException::class.java, ConnectException::class.java)
            .recoverOn(UnsupportedOperationException::class.java)
            .maxAttempts(5)
            .backoff(Backoff.fixed())
            .delay(Duration.ofMillis(200))
            .maxDelay(Duration.ofSeconds(30))
            .timeout(Duration.ofMinutes(1))
            .attemptTimeout(Duration.ofSeconds(5))
            .jitter(Jitter.none())
            .build()
        assertThat(policy).usingRecursiveComparison().isEqualTo(java)
        assertThat(policy.schedule(4)).isEqualTo(java.schedule(4))
    }

    @Test
    fun buildsOnAnotherPolicy() {
        val policy = retryPolicy {
            retryOn<IOException>()
            maxAttempts(5)
        }
        val patient = policy.with { maxAttempts(9) }
        assertThat(patient.maxAttempts()).isEqualTo(9)
        assertThat(patient.exceptions()).isEqualTo(policy.exceptions())
        assertThat(policy.maxAttempts()).isEqualTo(5)
    }

    @Test
    fun badValuesAreRefusedWhereTheyAreWritten() {
        assertThatIllegalArgumentException().isThrownBy { retryPolicy { delay((-1).seconds) } }
            .withMessage("delay is '-1s', but must not be negative")
        assertThatIllegalArgumentException().isThrownBy {
            retryPolicy {
                delay(2.seconds)
                maxDelay(1.seconds)
            }
        }.withMessageContaining("must not be below delay")
        assertThatIllegalArgumentException().isThrownBy { retry(" ") {} }
    }

    @Test
    fun retriesBlockingCalls() {
        val catalogue = retry("catalogue") {
            retryOn<IOException>()
            delay(0.seconds)
        }
        val answer = catalogue.call<String, IOException> {
            if (RetryContext.current().attempt() < 3) throw IOException("down")
            "attempt ${RetryContext.current().attempt()}"
        }
        assertThat(answer).isEqualTo("attempt 3")
    }

    @Test
    fun aRetryHasAnEngineOfItsOwn() {
        val retries = RecordedRetries.create()
        val policy = retryPolicy { retryOn<IOException>() }
        val catalogue = retry("catalogue", policy) { engine(retries.engine().build()) }
        catalogue.capture<String> { throw IOException("down") }
        assertThat(retries).of("catalogue").attempted(3)
    }
}
