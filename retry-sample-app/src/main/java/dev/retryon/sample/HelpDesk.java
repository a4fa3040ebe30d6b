// SPDX-License-Identifier: Apache-2.0
package dev.retryon.sample;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.TypeMismatchException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.util.StringUtils;
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
    protected @Nullable ResponseEntity<Object> handleExceptionInternal(
            Exception ex, @Nullable Object body, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        String detail = status.is4xxClientError() ? detail(ex) : null;
        Object explained = detail == null ? body : ProblemDetail.forStatusAndDetail(status, detail);
        return super.handleExceptionInternal(ex, explained, headers, status, request);
    }

    private static @Nullable String detail(Exception ex) {
        if (ex instanceof NoResourceFoundException missing) {
            return "no page exists at '/" + missing.getResourcePath() + "'; see the start page at '/'";
        }
        if (ex instanceof HttpRequestMethodNotSupportedException refused) {
            return "this address does not support " + refused.getMethod() + "; use "
                    + StringUtils.arrayToDelimitedString(refused.getSupportedMethods(), ", ");
        }
        if (ex instanceof MissingServletRequestParameterException missing) {
            String name = missing.getParameterName();
            String example = name.equals("answers") ? "; add it, for example ?answers=503,503,200" : "";
            return "the parameter '" + name + "' is missing" + example;
        }
        if (ex instanceof TypeMismatchException mismatch) {
            String name =
                    ex instanceof MethodArgumentTypeMismatchException argument ? argument.getName() : "a parameter";
            String wanted = boolean.class.equals(mismatch.getRequiredType()) ? "true or false" : "a whole number";
            return name + " is '" + mismatch.getValue() + "', but must be " + wanted;
        }
        return null;
    }
}
