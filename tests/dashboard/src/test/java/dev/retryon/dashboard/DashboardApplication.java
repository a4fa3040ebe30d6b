// SPDX-License-Identifier: Apache-2.0
package dev.retryon.dashboard;

import static dev.retryon.durable.DurableMode.ON_EXHAUSTION;
import static dev.retryon.durable.DurableMode.ON_FAILURE;

import dev.retryon.RetryPolicy;
import dev.retryon.StopReason;
import dev.retryon.durable.Durable;
import dev.retryon.durable.Redacted;
import dev.retryon.durable.StoredCall;
import dev.retryon.durable.StoredCall.State;
import dev.retryon.durable.internal.engine.CallStore;
import dev.retryon.durable.internal.engine.DeadLetter;
import dev.retryon.spring.RetryOn;
import dev.retryon.spring.RetryRegistry;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.client.ReactorResourceFactory;

/** A shop in which something fails, with error messages that somebody malicious has written. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({
    DashboardApplication.Outside.class,
    DashboardApplication.Payments.class,
    DashboardApplication.Mails.class,
    DashboardApplication.Invoices.class,
    DashboardSecurity.class
})
class DashboardApplication {

    /** Markup, a script, an attribute, characters that turn the direction of text, and a key that changes prototypes. */
    static final String HOSTILE =
            "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
                    + "\"'><b>bold</b> \u202Etxt.exe\u0000\u0007 {\"__proto__\": {\"polluted\": true}} ${7*7} {{7*7}}";

    /** A shop that ends closes the global resources, which shops of other tests would need. */
    @Bean
    ReactorResourceFactory reactorResourceFactory() {
        ReactorResourceFactory own = new ReactorResourceFactory();
        own.setUseGlobalResources(false);
        return own;
    }

    /** Puts dead letters into the store, the later the higher their number. */
    static void put(CallStore store, int from, int to, String name, String error, String message) {
        Instant start = Instant.now().minusSeconds(3600);
        for (int i = from; i < to; i++) {
            Instant died = start.plusMillis(i * 30L);
            store.put(new DeadLetter(
                    String.format(Locale.ROOT, "letter-%06d", i),
                    name,
                    "dev.retryon.dashboard.DashboardApplication$Mails#send(java.lang.String,java.lang.String)",
                    "mails",
                    "[\"somebody-" + i + "@shop.example\", \"text\"]",
                    null,
                    error,
                    message,
                    error + ": " + message + "\n\tat com.acme.Mails.send(Mails.java:17)",
                    List.of(new StoredCall.Failure(1, error, message, died.minusSeconds(1))),
                    3,
                    StopReason.EXHAUSTED,
                    died.minusSeconds(2),
                    died,
                    State.DEAD,
                    "default",
                    "0af7651916cd43dd8448eb211c80319c",
                    null,
                    List.of()));
        }
    }

    /** Makes names that are retried under, with a call each. */
    static void makeNames(RetryRegistry registry, int count) {
        RetryPolicy policy = twice();
        for (int i = 0; i < count; i++) {
            registry.retry(String.format(Locale.ROOT, "partner-%03d.fetch", i), policy)
                    .run(() -> {});
        }
    }

    static RetryPolicy twice() {
        return RetryPolicy.builder()
                .retryOn(IOException.class)
                .maxAttempts(2)
                .delay(Duration.ofMillis(1))
                .build();
    }

    /** What the shop calls; fails while it is down. */
    static class Outside {

        volatile boolean down;
    }

    static class Payments {

        private final Outside outside;

        Payments(Outside outside) {
            this.outside = outside;
        }

        @RetryOn(value = IOException.class, maxAttempts = 4, delay = "20ms", budget = "gateway")
        public String charge(int cents) throws IOException {
            if (outside.down) {
                throw new ConnectException(HOSTILE);
            }
            return "paid";
        }
    }

    static class Mails {

        private final Outside outside;

        Mails(Outside outside) {
            this.outside = outside;
        }

        @RetryOn(value = IOException.class, maxAttempts = 2, delay = "1ms")
        @Durable(ON_EXHAUSTION)
        public void send(String to, @Redacted String text) throws IOException {
            if (outside.down) {
                throw new IOException(HOSTILE);
            }
        }
    }

    /** Waits long enough for its next attempt to be seen waiting. */
    static class Invoices {

        private final Outside outside;

        Invoices(Outside outside) {
            this.outside = outside;
        }

        @RetryOn(value = IOException.class, delay = "1h", maxDelay = "1d", jitter = "none")
        @Durable(ON_FAILURE)
        public void dispatch(String to, @Redacted String text) throws IOException {
            if (outside.down) {
                throw new IOException(HOSTILE);
            }
        }
    }
}
