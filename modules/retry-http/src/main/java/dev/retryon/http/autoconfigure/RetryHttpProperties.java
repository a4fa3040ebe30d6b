// SPDX-License-Identifier: Apache-2.0
package dev.retryon.http.autoconfigure;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Retries of HTTP requests. This class refers neither to Spring's HTTP types nor to RetryOn types that do, because
 * Spring's types can be absent.
 *
 * @param enabled Whether the clients of Spring Boot's RestClient.Builder, RestTemplateBuilder and HTTP service groups
 *     retry requests.
 * @param policy Name of a policy in retryon.policies. If not set, retryon.defaults applies.
 * @param statuses Response statuses to retry, from 100 to 599. If the list is empty, no response is retried.
 * @param methods HTTP methods whose requests are retried. Add other methods only if the server tolerates duplicate requests.
 * @param idempotencyKey Origin of the idempotency key of POST and PATCH requests.
 * @param idempotencyKeyHeader Name of the header that allows retries of a request regardless of its method. An empty value means
 *     no header.
 */
@ConfigurationProperties("retryon.http")
record RetryHttpProperties(
        @DefaultValue("false") boolean enabled,
        @Nullable String policy,

        @DefaultValue({"408", "429", "500", "502", "503", "504"})
        List<Integer> statuses,

        @DefaultValue({"GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"})
        List<String> methods,

        @DefaultValue("given") IdempotencyKey idempotencyKey,
        @DefaultValue("Idempotency-Key") String idempotencyKeyHeader) {

    /** Removes items without a value. */
    RetryHttpProperties {
        statuses = statuses.stream().filter(Objects::nonNull).toList();
        methods = methods.stream().filter(method -> !method.isBlank()).toList();
    }

    /** Origins of idempotency keys. */
    enum IdempotencyKey {

        /** The application sets the header. Requests without it are not retried. */
        GIVEN,

        /** Requests without the header get the id of their call, which is the same in each attempt. */
        GENERATE
    }
}
