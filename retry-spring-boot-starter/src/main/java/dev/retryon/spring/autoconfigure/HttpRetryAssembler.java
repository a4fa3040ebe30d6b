package dev.retryon.spring.autoconfigure;

import dev.retryon.spring.http.HttpRetry;
import dev.retryon.spring.settings.RetryFaults;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import org.springframework.http.HttpMethod;

/** Hands {@code retry.http} to what retries requests. */
final class HttpRetryAssembler {

    private HttpRetryAssembler() {}

    /** Sets which requests are retried; what is wrong is noted. */
    static void assemble(HttpRetry.Builder http, RetryHttpProperties properties, RetryFaults faults) {
        try {
            http.statuses(properties.getStatuses());
        } catch (IllegalArgumentException ex) {
            faults.add("retry.http.statuses", String.valueOf(ex.getMessage()));
        }
        Set<HttpMethod> methods = new LinkedHashSet<>();
        for (String method : properties.getMethods()) {
            if (method.matches("[A-Za-z]+")) {
                methods.add(HttpMethod.valueOf(method.toUpperCase(Locale.ROOT)));
            } else {
                faults.add("retry.http.methods", "has '" + method + "', but must have only names such as GET or POST");
            }
        }
        http.methods(methods).idempotencyKeyHeader(properties.getIdempotencyKeyHeader());
    }
}
