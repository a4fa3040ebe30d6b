/*
 * Copyright 2026 the RetryOn authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.retryon.sample;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.TypeMismatchException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.MissingServletRequestParameterException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import org.springframework.web.servlet.resource.NoResourceFoundException;

/** Explains what is wrong with a request and how to correct it. */
@RestControllerAdvice
class HelpDesk extends ResponseEntityExceptionHandler {

    @ExceptionHandler
    ProblemDetail refuse(IllegalArgumentException ex) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, String.valueOf(ex.getMessage()));
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleNoResourceFoundException(
            NoResourceFoundException ex, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        return answer(
                ex,
                "there is no page at '/" + ex.getResourcePath() + "'; see the start page at '/'",
                headers,
                status,
                request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHttpRequestMethodNotSupported(
            HttpRequestMethodNotSupportedException ex, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        return answer(
                ex,
                "this address does not support " + ex.getMethod() + "; use " + ex.getSupportedHttpMethods(),
                headers,
                status,
                request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleMissingServletRequestParameter(
            MissingServletRequestParameterException ex,
            HttpHeaders headers,
            HttpStatusCode status,
            WebRequest request) {
        String detail = "the parameter '" + ex.getParameterName() + "' is missing";
        return answer(
                ex,
                ex.getParameterName().equals("answers")
                        ? detail + "; add it, for example ?answers=503,503,200"
                        : detail,
                headers,
                status,
                request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleTypeMismatch(
            TypeMismatchException ex, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        String name = ex instanceof MethodArgumentTypeMismatchException argument ? argument.getName() : "a parameter";
        String wanted = boolean.class.equals(ex.getRequiredType()) ? "true or false" : "a whole number";
        return answer(ex, name + " is '" + ex.getValue() + "', but must be " + wanted, headers, status, request);
    }

    private @Nullable ResponseEntity<Object> answer(
            Exception ex, String detail, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        return handleExceptionInternal(ex, ProblemDetail.forStatusAndDetail(status, detail), headers, status, request);
    }
}
