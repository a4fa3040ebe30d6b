// SPDX-License-Identifier: Apache-2.0
package com.acme.orders;

import io.micrometer.context.ContextRegistry;
import org.springframework.web.context.request.RequestAttributesThreadLocalAccessor;
import org.springframework.web.context.request.RequestContextHolder;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** Makes the current web request known to later attempts. */
final class CurrentRequest {

    private CurrentRequest() {}

    static void register() {
        ContextRegistry.getInstance().registerThreadLocalAccessor(new RequestAttributesThreadLocalAccessor());
    }

    static <T> Mono<T> inAttempts(Mono<T> mono) {
        return mono.contextWrite(
                Context.of(RequestAttributesThreadLocalAccessor.KEY, RequestContextHolder.currentRequestAttributes()));
    }
}
