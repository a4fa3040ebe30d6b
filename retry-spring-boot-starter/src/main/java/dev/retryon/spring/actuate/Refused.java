/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.spring.actuate;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Why nothing was done.
 *
 * @param problem what is wrong and what is allowed
 */
record Refused(String problem) implements OperationResponseBody {

    static WebEndpointResponse<Object> because(int status, String problem) {
        return new WebEndpointResponse<>(new Refused(problem), status);
    }

    static WebEndpointResponse<Object> because(IllegalArgumentException wrong) {
        return because(WebEndpointResponse.STATUS_BAD_REQUEST, String.valueOf(wrong.getMessage()));
    }
}
